package amount

import "fmt"

// Count writes a number with its noun: 1 run, 2 runs.
func Count[N int | int64 | uint64](n N, noun string) string { return Agree(n, noun, noun+"s") }

// Agree writes a number with the words that go with one or with several.
func Agree[N int | int64 | uint64](n N, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + several
}

// Thousands writes a number whose digits are parted in threes.
func Thousands[N int | int64 | uint64](n N) string {
	text := fmt.Sprint(n)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(text) - 3; i > first; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
