package declare

import (
	"regexp"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A pattern says how names of a kind are written.
type pattern struct {
	re   *regexp.Regexp
	want string
}

func identifier() pattern {
	return pattern{regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`), "letters, digits and _, at most 64, not a digit first"}
}

func folderName() pattern {
	return pattern{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`), "letters, digits, dot, _ and -, at most 64, a letter or digit first"}
}

func (p pattern) check(kind string, name convert.Text) error {
	if p.re.MatchString(string(name)) {
		return nil
	}
	return script.Problemf("%s %q: not a name", kind, name).Mend("write %s", p.want)
}

// keywords cannot be parameters, and so not variables either.
var keywords = [...]string{
	"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass",
	"return", "while", "as", "async", "await", "class", "del", "except", "finally", "from", "global", "import",
	"is", "nonlocal", "raise", "try", "with", "yield", "ctx", "None", "True", "False",
}

// whyTaken says why a name cannot be a column, or nothing.
func whyTaken(name string) string {
	if engine.IsReserved(name) {
		return "is reserved for a fixed column"
	}
	return ""
}

// checkColumn refuses names that are reserved, or a keyword.
func checkColumn(kind string, name convert.Text) error {
	if why := whyTaken(string(name)); why != "" {
		return script.Problemf("%s %q: the name %s", kind, name, why).Mend("rename it, as in %q", "my_"+string(name))
	}
	for _, word := range keywords {
		if word == string(name) {
			return script.Problemf("%s %q: the word belongs to the language", kind, name).Mend("rename it")
		}
	}
	return nil
}
