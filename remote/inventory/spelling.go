package inventory

import "fmt"

// suggestion is the hint that names the known word nearest to what was
// written, or empty if none is near.
func suggestion(written string, known []string) string {
	best, distance := "", len(written)/3+2
	for _, word := range known {
		if d := editDistance(written, word); d < distance {
			best, distance = word, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// editDistance counts the letters to add, remove or replace to make a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
