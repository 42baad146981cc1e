package execute

import (
	"context"
	"sync"
)

// together calls f for 0 to n-1 at once and waits for all. The first error
// cancels the context of the others and is returned.
func together(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var first error
	_ = all(n, func(i int) error {
		err := f(ctx, i)
		if err != nil {
			once.Do(func() { first = err; cancel() })
		}
		return err
	})
	return first
}

// all calls f for 0 to n-1 at once, waits for all and returns the error of the
// lowest i that has one.
func all(n int, f func(i int) error) error {
	if n == 1 {
		return f(0)
	}
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = f(i) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
