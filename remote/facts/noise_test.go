package facts

import (
	"encoding/json"
	"slices"
	"testing"

	"mpf/engine"
)

func TestNoiseIsTheDifferenceOfTwoLooks(t *testing.T) {
	before := map[string]engine.Value{
		"boot_id": "b", "uptime_seconds": 100.5, "cpu_seconds": int64(400), "steal_seconds": 1.5, "busy_seconds": int64(10), "load_1": 0.25,
		"throttled": int64(3), "swap_in_pages": int64(5), "swap_out_pages": int64(0), "temperature_celsius": 40.5,
		"frequency_now_min_khz": int64(1000), "frequency_now_mean_khz": int64(2000), "frequency_now_max_khz": int64(3000),
		"heavy_processes": []engine.Value{"cron"},
	}
	after := map[string]engine.Value{
		"boot_id": "b", "uptime_seconds": 150.5, "cpu_seconds": int64(600), "steal_seconds": 6.5, "busy_seconds": int64(110), "load_1": 1.5,
		"throttled": int64(7), "swap_in_pages": int64(5), "swap_out_pages": int64(8), "temperature_celsius": int64(80),
		"heavy_processes": []engine.Value{"cron", "backup"},
	}
	n := NoiseOf(before, after)
	for name, got := range map[string]struct {
		got  *float64
		want float64
	}{
		"seconds": {n.Seconds, 50}, "steal": {n.StealPercent, 2.5}, "busy": {n.BusyPercent, 50}, "throttled": {n.Throttled, 4},
		"swap in": {n.SwapIn, 0}, "swap out": {n.SwapOut, 8}, "frequency": {n.Before.FrequencyMean, 2000}, "load": {n.After.Load, 1.5},
	} {
		if got.got == nil || *got.got != got.want {
			t.Errorf("%s is %v, want %v", name, got.got, got.want)
		}
	}
	want := []string{"2.5 % of its time stolen", "throttled 4 times by heat", "8 pages swapped", `process "backup" came to be busy`}
	if got := n.Words(); !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
}

// A virtual machine tells little, another boot counts from zero, and a host that
// is out of reach tells nothing: null each time.
func TestNoiseThatIsNotToldIsNull(t *testing.T) {
	n := NoiseOf(map[string]engine.Value{"boot_id": "b", "throttled": int64(9)}, map[string]engine.Value{"boot_id": "c", "throttled": int64(1)})
	if !n.Rebooted || n.Throttled != nil || !slices.Equal(n.Words(), []string{"rebooted"}) {
		t.Errorf("after a reboot: %+v", n)
	}
	text, err := json.Marshal(NoiseOf(map[string]engine.Value{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"before":{"load_1":null,"cpu_seconds":null,"steal_seconds":null,"frequency_min_khz":null,"frequency_mean_khz":null,` +
		`"frequency_max_khz":null,"temperature_celsius":null,"throttled":null,"swap_in_pages":null,"swap_out_pages":null,"heavy_processes":[]},` +
		`"after":null,"rebooted":false,"seconds":null,"busy_percent":null,"steal_percent":null,"throttled":null,"swap_in_pages":null,"swap_out_pages":null}`
	if string(text) != want {
		t.Errorf("got %s", text)
	}
}
