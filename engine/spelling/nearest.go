// Package spelling finds the word that somebody meant. It deliberately knows no
// language: it counts the letters that differ.
package spelling

// Nearest returns the candidate that word is most likely a misspelling of, or
// "" if none is near.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", 1+len(word)/3
	if len(word) >= 4 && bestDistance < 3 {
		bestDistance = 3
	}
	for _, c := range candidates {
		if d := distance(word, c); d < bestDistance && d < len(c) {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, substitutions and transpositions
// that lead from a to b, case aside.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

func differ(a, b byte) int {
	if a == b || a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z' {
		return 0
	}
	return 1
}
