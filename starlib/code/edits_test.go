package code

import (
	"fmt"
	"testing"

	"mpf/engine"
)

func TestEditsNameWhatDiffers(t *testing.T) {
	old := []engine.Source{{Path: "a.star", Content: `
seconds = 2
def helper(x):
    return x
def step(ctx):
    return helper(seconds)
def gone(): pass
`}, {Path: "lib.star", Content: "def shared(): return 1\n"}}
	new := []engine.Source{{Path: "a.star", Content: `
# longer
seconds = 3

def helper(x):
    return x + 1
def step(ctx):    # the same
    return helper(seconds)
def fresh(): pass
`}, {Path: "lib.star", Content: "def shared(): return 2\n"}}
	want := []string{
		`a.star:3:1: name "seconds" has other code`,
		`a.star:5:5: function "helper" has other code`,
		`a.star:9:5: function "fresh" is new`,
		`lib.star:1:5: function "shared" has other code`,
		`: function "gone" is gone`,
	}
	var got []string
	for _, e := range Edits(old, new) {
		got = append(got, fmt.Sprintf("%v: %s", e.Pos, e.Text))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if same := Edits(new, new); len(same) > 0 {
		t.Errorf("equal files differ: %v", same)
	}
	if broken := Edits(old, []engine.Source{{Path: "a.star", Content: "def ("}}); len(broken) != 5 {
		t.Errorf("all that was there is gone from a file that cannot be parsed, got %v", broken)
	}
}
