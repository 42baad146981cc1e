package draw

import (
	"fmt"
	"math/big"

	"mpf/engine"
	"mpf/engine/design"
)

// maxLevels is how many levels of a variable are written.
const maxLevels = 24

// Balance lists for each variable how many treatments have each of its levels:
// of the whole design where a restriction is too large to be counted, which is
// not exact.
func Balance(d *design.Design) (rows [][]string, exact bool) {
	balances, exact := d.Balances()
	for v, b := range balances {
		variable := d.Experiment().Variables[v]
		whole := new(big.Int).Set(b.Absent)
		for _, n := range b.Levels {
			whole.Add(whole, n)
		}
		for level, n := range b.Levels[:min(maxLevels, len(b.Levels))] {
			rows = append(rows, []string{nameOnce(variable.Name, level), engine.Shown(variable.Levels[level].Label), n.String(), percent(n, whole)})
		}
		if more := len(b.Levels) - maxLevels; more > 0 {
			rows = append(rows, []string{"", fmt.Sprintf("and %d more", more)})
		}
		if b.Absent.Sign() > 0 {
			rows = append(rows, []string{"", absent, b.Absent.String(), percent(b.Absent, whole)})
		}
	}
	return rows, exact
}

func nameOnce(name string, line int) string {
	if line > 0 {
		return ""
	}
	return engine.Shown(name)
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
