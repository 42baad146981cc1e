package partial

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What each method chooses is a promise to whoever repeats it: a file that
// changes here moves the runs of campaigns.
func TestChoicesAreGolden(t *testing.T) {
	small, large := conditional(), rules(slices.Repeat([]int{10}, 25)...)
	middle := rules(100, 100, 100, 100)
	for _, method := range Methods() {
		var b strings.Builder
		n := int64(8)
		if method == "pairwise" {
			n = 0
		}
		for _, t := range choose(t, compile(t, small), method, n).Treatments {
			fmt.Fprintln(&b, t.Format(small.Variables))
		}
		if method != "pairwise" {
			fmt.Fprintln(&b, choose(t, compile(t, middle), method, 3).Treatments)
			fmt.Fprintln(&b, choose(t, compile(t, large), method, 3).Treatments)
		}
		enginetest.Golden(t, filepath.Join("testdata", "golden", method+".txt"), b.String(), *update)
	}
}
