package order

import (
	"fmt"
	"testing"
)

func BenchmarkAt(b *testing.B) {
	for _, n := range []uint64{1000, 1e6, 1e9, 1e12, 1e18} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := New(n, key(1))
			sum := uint64(0)
			i := uint64(0)
			for b.Loop() {
				sum += p.At(i)
				if i++; i == n {
					i = 0
				}
			}
			_ = sum
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, n := range []uint64{1000, 1e6, 1e12} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				New(n, key(1))
			}
		})
	}
}
