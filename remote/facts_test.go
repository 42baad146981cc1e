package remote_test

import (
	"testing"

	"mpf/remote"
)

func TestFactsOfThisMachine(t *testing.T) {
	spec := here()
	spec.Tools = []string{"sh", "go", "no-such-program-of-mpf"}
	h, err := remote.Connect(t.Context(), remote.Local{}, spec, quick())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	facts := h.Info().Facts
	for _, name := range []string{
		"kernel", "distribution", "cpu_model", "cpu_threads", "numa_nodes", "memory_bytes", "mitigations", "nics",
		"boot_id", "clock_source", "load_1", "virtualisation", "heavy_processes", "tool_go",
	} {
		if facts[name] == nil {
			t.Errorf("no fact %q among %v", name, facts)
		}
	}
	if facts["tool_no-such-program-of-mpf"] != "" {
		t.Errorf("a program that is not there has version %q", facts["tool_no-such-program-of-mpf"])
	}
	if threads, ok := facts["cpu_threads"].(int64); !ok || threads < 1 {
		t.Errorf("%v threads", facts["cpu_threads"])
	}
}
