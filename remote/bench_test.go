package remote_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// median is the middle of a few measurements.
func median(all []time.Duration) time.Duration {
	sorted := append([]time.Duration{}, all...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted[len(sorted)/2]
}

// timed measures one call.
func timed(b *testing.B, all *[]time.Duration, call func() error) {
	b.Helper()
	begun := time.Now()
	if err := call(); err != nil {
		b.Fatal(err)
	}
	*all = append(*all, time.Since(begun))
}

func script(cmd string, argv ...string) func() error {
	return func() error {
		if out, err := exec.Command(cmd, argv...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", cmd, err, out)
		}
		return nil
	}
}

// configFile writes a configuration for ssh itself.
func configFile(b *testing.B, text string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// master keeps a connection of ssh open, as ControlMaster does.
func master(b *testing.B, config string) []string {
	b.Helper()
	dir, err := os.MkdirTemp("/tmp", "cm") // the path of a socket is short
	if err != nil {
		b.Fatal(err)
	}
	options := []string{"-F", config, "-o", "ControlPath=" + dir + "/s"}
	if err := script("ssh", append(options, "-o", "ControlMaster=yes", "-fN", "n")...)(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = exec.Command("ssh", append(options, "-O", "exit", "n")...).Run()
		_ = os.RemoveAll(dir)
	})
	return options
}

// A warm step against fork and exec on this machine, and against ssh over a
// connection that is open. Each peer is paired with the step alone: what comes
// before a step has its part in how long the step takes.
func BenchmarkWarmStep(b *testing.B) {
	enginetest.Need(b, "ssh")
	s := remotetest.Sshd(b)
	h := open(b, cluster(b, s.Alias("n"), oneShared)).Host("n")
	w, err := h.Open(b.Context(), remotetest.NewAttempt())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(b.Context())
	step := func() error {
		_, err := w.Run(b.Context(), engine.Command{Argv: []string{"true"}})
		return err
	}
	b.Run("fork+exec", func(b *testing.B) {
		local, ours := paired(b, script("true"), step)
		b.ReportMetric(float64(ours)/float64(local), "x-fork+exec")
	})
	options := master(b, configFile(b, s.Alias("n")))
	overMaster := script("ssh", append(options, "n", "true")...)
	b.Run("ControlMaster", func(b *testing.B) {
		theirs, ours := paired(b, overMaster, step)
		b.ReportMetric(float64(theirs)/float64(ours), "times-faster")
	})
	// No step is faster than the process that it starts: this is the most that the
	// one before could show.
	b.Run("ControlMaster-against-fork+exec", func(b *testing.B) {
		theirs, local := paired(b, overMaster, script("true"))
		b.ReportMetric(float64(theirs)/float64(local), "times-faster")
	})
}

// paired measures two calls in turn and returns the median of each.
func paired(b *testing.B, one, other func() error) (time.Duration, time.Duration) {
	var ones, others []time.Duration
	for b.Loop() {
		timed(b, &ones, one)
		timed(b, &others, other)
	}
	return median(ones), median(others)
}

// Many steps at once against as many processes here.
func BenchmarkStepsInFlight(b *testing.B) {
	s := remotetest.Sshd(b)
	h := open(b, cluster(b, s.Alias("n"), oneShared)).Host("n")
	w, err := h.Open(b.Context(), remotetest.NewAttempt())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(b.Context())
	for _, n := range []int{8, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var local, ours []time.Duration
			for b.Loop() {
				timed(b, &local, flight(n, script("true")))
				timed(b, &ours, flight(n, func() error {
					_, err := w.Run(b.Context(), engine.Command{Argv: []string{"true"}})
					return err
				}))
			}
			b.ReportMetric(float64(median(local))/float64(median(ours)), "of-local-throughput")
		})
	}
}

// flight makes calls n at a time, 128 in all.
func flight(n int, call func() error) func() error {
	return func() error {
		errs := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				for range 128 / n {
					if err := call(); err != nil {
						errs[i] = err
					}
				}
			})
		}
		all.Wait()
		return errors.Join(errs...)
	}
}
