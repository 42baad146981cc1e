package client

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mpf/remote/remotetest"
)

// firstAnswer connects, executes a command and waits for what it answers.
func firstAnswer(b *testing.B, d *Dialer) time.Duration {
	b.Helper()
	begun := time.Now()
	conn, err := d.Dial(b.Context(), Destination{Host: "n"})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	s, err := conn.Start(b.Context(), "echo one; exec cat")
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(s)
	for range 4 {
		if _, err := lines.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Write([]byte("two\n")); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begun)
}

// delayedAcks is how often the kernel held back an acknowledgement until its
// time was over.
func delayedAcks(b *testing.B) int {
	b.Helper()
	text, err := os.ReadFile("/proc/net/netstat")
	if err != nil {
		b.Skip(err)
	}
	lines := strings.Split(string(text), "\n")
	at := slices.Index(strings.Fields(lines[0]), "DelayedACKs")
	n, err := strconv.Atoi(strings.Fields(lines[1])[at])
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// A new connection and four answers on it, with acknowledgements at once and
// without.
func BenchmarkFirstAnswers(b *testing.B) {
	s := remotetest.Sshd(b)
	atOnce, late := dialer(b, s.Alias("n")), dialer(b, s.Alias("n"))
	late.testOnlyLateAcks = true
	var took [2]time.Duration
	var held [2]int
	n := 0
	for b.Loop() {
		n++
		for i, d := range []*Dialer{atOnce, late} {
			before := delayedAcks(b)
			took[i] += firstAnswer(b, d)
			held[i] += delayedAcks(b) - before
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "times-as-long-without")
	b.ReportMetric(took[0].Seconds()/float64(n)*1e3, "ms/with")
	b.ReportMetric(took[1].Seconds()/float64(n)*1e3, "ms/without")
	b.ReportMetric(float64(held[0])/float64(n), "delayed-acks/with")
	b.ReportMetric(float64(held[1])/float64(n), "delayed-acks/without")
}
