package exact

import (
	"strings"
	"testing"
)

type everything struct {
	Before string
	Middle map[string][]string
	After  int
}

type ends struct {
	Before string
	Middle Passed
	After  int
}

// A field that is passed over hides nothing that follows it, whatever it holds.
func TestPassedFieldsHideNothing(t *testing.T) {
	for _, text := range []string{"", `"`, `\`, `\"`, `\\"`, "}", `]}`, "a\nb", strings.Repeat("\\", 9), `{"after":3}`} {
		written := everything{"b", map[string][]string{"k" + text: {text, "", text}, "": nil}, 7}
		b, err := StructOf[everything]().Append(nil, "", &written)
		must(t, err)
		var read ends
		must(t, StructOf[ends]().Decode(b, &read))
		if read.Before != "b" || read.After != 7 {
			t.Errorf("%s is read as %+v", b, read)
		}
		for cut := range len(b) {
			if StructOf[ends]().Decode(b[:cut], &read) == nil {
				t.Errorf("%s is read although it is cut", b[:cut])
			}
		}
	}
	for _, word := range []string{"1e-9", "-4", "true", "null", `"12345678901234567890"`} {
		var read ends
		must(t, StructOf[ends]().Decode([]byte(`{"middle":`+word+`,"after":7}`), &read))
		if read.After != 7 {
			t.Errorf("after %s: %+v", word, read)
		}
	}
}
