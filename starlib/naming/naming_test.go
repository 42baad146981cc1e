package naming

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesThatAreRefusedSayHowToWriteThem(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "", "n2_x": "", "_x": "",
		"schön": `write "schoen"`, "2x": `write "n2x"`, "a-b": `write "a_b"`, "a b": `write "a_b"`, "": "give it such a name", "日本": "give it such a name",
		strings.Repeat("n", maxName+1): "shorten it",
	} {
		err := Identifier("variable", name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
	for name, want := range map[string]string{"a.b-c_1": "", "-a": `write "x-a"`, "größe/2": `write "groesse_2"`} {
		err := Folder("experiment", name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

func TestColumnsAreNeitherReservedNorWordsOfTheLanguage(t *testing.T) {
	for name, bad := range map[string]bool{"goodput": false, "status": true, "Host_client": true, "lambda": true, "ctx": true} {
		if err := Column("variable", name); (err != nil) != bad {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSuggestsWhatWasMeant(t *testing.T) {
	many := strings.Split("a b c d e f g h i j k l m n", " ")
	for _, c := range []struct {
		word  string
		names []string
		want  string
	}{
		{"mptpc", []string{"tcp", "mptcp"}, `did you mean "mptcp"?`}, {"x", []string{"tcp", "mptcp"}, "the levels: tcp, mptcp"},
		{"x", nil, "none is declared"}, {"zzzz", many, "the levels: a, b, c, d, e, f, g, h, i, j, k, l, ..."},
	} {
		if got := Suggest(c.word, c.names, "levels"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
}

// What is suggested is accepted.
func FuzzMendedNamesAreNames(f *testing.F) {
	f.Add("schön 2")
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) || len(name) > maxName/3 {
			return
		}
		for _, p := range []pattern{identifier(), folder()} {
			if mended := p.mend(name); mended != "" && p.check("variable", mended) != nil {
				t.Errorf("%q becomes %q: %v", name, mended, p.check("variable", mended))
			}
		}
	})
}
