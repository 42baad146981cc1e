package spelling

import "testing"

func TestNearest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"mptpc", "mptcp"}, {"TCP", "tcp"}, {"paralel", "parallel"}, {"xyz", ""}, {"", ""}, {"quic", ""}, {"nope", ""}, {"server", "sever"},
	} {
		if got := Nearest(c.word, []string{"tcp", "mptcp", "parallel", "gap", "sever"}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
}
