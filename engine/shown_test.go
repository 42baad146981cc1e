package engine

import "testing"

func TestTextIsShownOnOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "two words": "two words", "日本語": "日本語", "": `""`, "a\nb": `"a\nb"`,
		"tab\tbed": `"tab\tbed"`, "\x1b[31mred": `"\x1b[31mred"`, "broken\xff": `"broken\xff"`, "\u202eright": `"\u202eright"`,
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	vars := []Variable{{Name: "text", Levels: []Level{{Label: "a\nb"}}}, {Name: "n", Levels: []Level{{Label: "1"}}}}
	if got, want := (Treatment{0, 0}).Format(vars), `text="a\nb" n=1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
