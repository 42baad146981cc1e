package draw

import (
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"mpf/engine/design"
)

// maxLevels is how many levels of a variable are written.
const maxLevels = 24

// Balance writes for each variable how many treatments have each of its levels.
func Balance(w io.Writer, d *design.Design) error {
	balances, exact := d.Balances()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if !exact {
		fmt.Fprintln(out, "of the whole design; the restriction is too large to be counted")
	}
	for v, b := range balances {
		variable := d.Experiment().Variables[v]
		whole := new(big.Int).Set(b.Absent)
		for _, n := range b.Levels {
			whole.Add(whole, n)
		}
		for level, n := range b.Levels[:min(maxLevels, len(b.Levels))] {
			fmt.Fprintf(out, "%s\t%s\t%v\t%s\n", nameOnce(variable.Name, level), clean(variable.Levels[level].Label), n, percent(n, whole))
		}
		if more := len(b.Levels) - maxLevels; more > 0 {
			fmt.Fprintf(out, "\tand %d more\n", more)
		}
		if b.Absent.Sign() > 0 {
			fmt.Fprintf(out, "\t·\t%v\t%s\n", b.Absent, percent(b.Absent, whole))
		}
	}
	return out.Flush()
}

func nameOnce(name string, line int) string {
	if line > 0 {
		return ""
	}
	return clean(name)
}

// percent says what part n is of the whole, to a tenth.
func percent(n, whole *big.Int) string {
	if whole.Sign() == 0 {
		return ""
	}
	tenths := new(big.Int).Mul(n, big.NewInt(1000))
	tenths.Add(tenths, new(big.Int).Rsh(whole, 1))
	tenths.Quo(tenths, whole)
	return fmt.Sprintf("%d.%d %%", tenths.Int64()/10, tenths.Int64()%10)
}
