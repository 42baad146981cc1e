package agentbin

import (
	"bytes"
	"context"
	"debug/elf"
	"sync"
	"testing"

	"mpf/engine/enginetest"
)

// mostSize is what an agent may weigh: it is sent to every host.
const mostSize = 3_000_000

func TestAgentsAreSmallAndStatic(t *testing.T) {
	enginetest.Need(t, "go")
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	for _, p := range Platforms() {
		b, err := Find(t.Context(), p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if b.Size() > mostSize {
			t.Errorf("%s: %d bytes, at most %d are allowed", p[1], b.Size(), mostSize)
		}
		f, err := elf.NewFile(bytes.NewReader(b.Content))
		if err != nil {
			t.Fatal(err)
		}
		if f.Machine != machines[p[1]] {
			t.Errorf("%s: an agent for %v", p[1], f.Machine)
		}
		if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
			t.Errorf("%s: needs %q, %v", p[1], libraries, err)
		}
	}
}

func TestFinderFindsOnce(t *testing.T) {
	enginetest.Need(t, "go")
	var f Finder
	var all sync.WaitGroup
	hashes := make([]string, 8)
	for i := range hashes {
		all.Go(func() {
			b, err := f.Find(t.Context(), "linux", "amd64")
			if err != nil {
				t.Error(err)
			}
			hashes[i] = b.SHA256
		})
	}
	all.Wait()
	for _, h := range hashes {
		if h != hashes[0] || len(h) != 64 {
			t.Errorf("found %q and %q", hashes[0], h)
		}
	}
}

func TestUnknownSystemIsNamed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, "linux", "riscv64"); err == nil {
		t.Error("an agent for riscv64 was found without making it")
	}
}
