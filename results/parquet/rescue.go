package parquet

import "fmt"

// rescue turns a panic of the library into an error.
func rescue(what string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: the arrow library gave up: %v", what, r)
	}
}
