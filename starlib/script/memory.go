package script

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"
)

// ErrTooMuchMemory says that a script made the heap grow beyond its bound.
var ErrTooMuchMemory = fmt.Errorf("the script used up its memory")

// memoryPeriod is how often the heap is looked at.
const memoryPeriod = 10 * time.Millisecond

// boundMemory ends the context it returns once the heap of the process has
// grown by limit. One huge operation may be over before it is seen.
func boundMemory(ctx context.Context, limit uint64) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if limit == 0 {
		return ctx, func() { cancel(nil) }
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		watchHeap(ctx, heap()+limit, func() { cancel(fmt.Errorf("%w: %d MiB", ErrTooMuchMemory, limit>>20)) })
	}()
	return ctx, func() { cancel(nil); <-done }
}

func watchHeap(ctx context.Context, most uint64, exceeded func()) {
	ticker := time.NewTicker(memoryPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if heap() > most {
				exceeded()
				return
			}
		}
	}
}

// heap is how many bytes objects take, those not yet collected included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
