package naming

import (
	"regexp"
	"strings"
	"unicode"

	"mpf/engine"
	"mpf/starlib/script"
)

// A pattern says how names of a kind are written.
type pattern struct {
	re     *regexp.Regexp
	want   string
	beside string // characters that may stand in it beside ASCII letters and digits
	lead   string // what may stand before a character that cannot begin it
}

// maxName is how long a name may be.
const maxName = 64

func identifier() pattern {
	return pattern{regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), "a-z, A-Z, 0-9 and _, with no digit first", "_", "n"}
}

func folder() pattern {
	return pattern{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), "a-z, A-Z, 0-9, dot, _ and -, with a letter or digit first", "._-", "x"}
}

// Identifier refuses a name that a parameter, and so a variable or a role, cannot
// have.
func Identifier(kind, name string) error { return identifier().check(kind, name) }

// Folder refuses a name that an experiment, or something else that becomes a
// folder or a flag, cannot have.
func Folder(kind, name string) error { return folder().check(kind, name) }

// check refuses a name that is not written so, and says how to write it.
func (p pattern) check(kind, name string) error {
	switch {
	case !p.re.MatchString(name):
		wrong := script.Problemf("%s %q: names are written with %s", kind, name, p.want)
		if mended := p.mend(name); mended != "" {
			return wrong.Mend("write %q", mended)
		}
		return wrong.Mend("give it such a name")
	case len(name) > maxName:
		return script.Problemf("%s %q: the name has %d letters, the most is %d", kind, name, len(name), maxName).Mend("shorten it")
	}
	return nil
}

// mend writes a name with the characters that it may have; "" where hardly any
// of it would be left.
func (p pattern) mend(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch plain := plainLetters(r); {
		case plain != "":
			b.WriteString(plain)
		case strings.ContainsRune(p.beside, r):
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	mended := b.String()
	if strings.Trim(mended, p.beside) == "" {
		return ""
	}
	if !p.re.MatchString(mended) {
		mended = p.lead + mended
	}
	return mended
}

// plainLetters returns the ASCII letters or digits that stand for a letter, or
// "": what European names are mostly written with.
func plainLetters(r rune) string {
	if r < unicode.MaxASCII {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(r)
		}
		return ""
	}
	for plain, letters := range map[string]string{
		"a": "àáâãåā", "ae": "äæ", "c": "çćč", "e": "èéêëēě", "i": "ìíîïī", "n": "ñńň", "o": "òóôõō", "oe": "öøœ",
		"s": "śš", "ss": "ß", "u": "ùúûūů", "ue": "ü", "y": "ýÿ", "z": "źżž", "mu": "µμ",
	} {
		if strings.ContainsRune(letters, r) {
			return plain
		}
		if strings.ContainsRune(letters, unicode.ToLower(r)) {
			return strings.ToUpper(plain[:1]) + plain[1:]
		}
	}
	return ""
}

// keywords cannot be parameters, and so not variables either.
var keywords = [...]string{
	"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass",
	"return", "while", "as", "async", "await", "class", "del", "except", "finally", "from", "global", "import",
	"is", "nonlocal", "raise", "try", "with", "yield", "ctx", "None", "True", "False",
}

// WhyTaken says why a name cannot be a column, or nothing.
func WhyTaken(name string) string {
	if engine.IsReserved(name) {
		return "is reserved for a fixed column"
	}
	return ""
}

// Column refuses names that are reserved for a fixed column, or a keyword.
func Column(kind, name string) error {
	if why := WhyTaken(name); why != "" {
		return script.Problemf("%s %q: the name %s", kind, name, why).Mend("rename it, as in %q", "my_"+name)
	}
	for _, word := range keywords {
		if word == name {
			return script.Problemf("%s %q: the word belongs to the language", kind, name).Mend("rename it")
		}
	}
	return nil
}
