package remote_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// An upload of 20 MB against scp over a connection that is open.
func BenchmarkUpload(b *testing.B) {
	enginetest.Need(b, "ssh", "scp")
	s := remotetest.Sshd(b)
	h := open(b, cluster(b, s.Alias("n"), oneShared)).Host("n")
	w, err := h.Open(b.Context(), remotetest.NewAttempt())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(b.Context())
	options := master(b, configFile(b, s.Alias("n")))
	file := filepath.Join(b.TempDir(), "data")
	content := make([]byte, 20<<20)
	_, _ = rand.Read(content) // never fails
	if err := os.WriteFile(file, content, 0o600); err != nil {
		b.Fatal(err)
	}
	var ours, theirs []time.Duration
	for i := 0; b.Loop(); i++ {
		timed(b, &ours, func() error { return w.Put(b.Context(), file, fmt.Sprintf("copy%d", i)) })
		timed(b, &theirs, script("scp", append(options, file, fmt.Sprintf("n:%s/copy%d", s.Home, i))...))
		_ = os.Remove(fmt.Sprintf("%s/copy%d", s.Home, i))
	}
	b.ReportMetric(float64(median(ours))/float64(median(theirs)), "of-scp")
	b.ReportMetric(20/median(ours).Seconds(), "MiB/s")
}
