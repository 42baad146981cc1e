package amount

import (
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	for want, got := range map[string]string{
		"1 run": Count(1, "run"), "0 runs": Count(0, "run"), "12,345,678 runs": Count(uint64(12345678), "run"),
		"999": Thousands(999), "1,000": Thousands(1000), "-999": Thousands(-999), "-1,000": Thousands(-1000),
		"1 byte": Bytes(int64(1)), "1,023 bytes": Bytes(int64(1023)), "1 KiB": Bytes(int64(1024)), "12.3 KiB": Bytes(12600.0), "2.25 MiB": Bytes(int64(9 << 18)),
		"1000 KiB": Bytes(int64(1000 << 10)), "1 MiB": Bytes(int64(1<<20 - 1)), "8 EiB": Bytes(int64(1<<63 - 1)),
		"850 ms": Duration(850 * time.Millisecond), "2 s": Duration(2 * time.Second), "9.5 s": Duration(9500 * time.Millisecond),
		"59 s": Duration(59 * time.Second), "4 min 10 s": Duration(250 * time.Second), "11 h 5 min": Duration(665 * time.Minute),
		"3 d 2 h": Duration(74 * time.Hour),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
