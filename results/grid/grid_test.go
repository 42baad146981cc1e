package grid

import (
	"strings"
	"testing"
)

func TestWidthCountsCells(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "plain": 5, "größe": 5, "日本語": 6, "한국": 4, "ｶﾅ": 2, "Ａ": 2, "e\u0301": 1, "·±µ": 3, "🙂": 2, "a\u200db": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d cells, want %d", text, got, want)
		}
	}
}

func TestClipKeepsToTheCells(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{
		{"plain", 5, "plain"}, {"plain", 4, "pla…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"abc", 0, "…"}, {"", 0, ""},
	} {
		if got := Clip(c.text, c.cells); got != c.want {
			t.Errorf("%q in %d cells: got %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}

func TestColumnsBeginInTheSameCell(t *testing.T) {
	g := Grid{Right: []bool{false, true}, Rows: [][]string{
		{"text", "n", "unit"}, {"日本語", "1"}, {"plain", "100", "B"}, {"only"}, {},
	}}
	var b strings.Builder
	if err := g.Render(&b); err != nil {
		t.Fatal(err)
	}
	want := "text      n  unit\n日本語    1\nplain   100  B\nonly\n\n"
	if b.String() != want || g.Width() != 17 {
		t.Errorf("width %d:\n%swant:\n%s", g.Width(), b.String(), want)
	}
}
