package engine

import "testing"

func vars() []Variable {
	return []Variable{
		{Name: "variant", Levels: []Level{{"tcp", "tcp"}, {"mptcp", "mptcp"}}},
		{Name: "parallel", Levels: []Level{{"1", int64(1)}, {"1.0", 1.0}}},
		{Name: "scheduler", Levels: []Level{{"minrtt", "minrtt"}}, When: []Condition{{0, []int{1}}}},
	}
}

// The golden IDs pin the encoding: a change of any is a change of format.
func TestRunIDsAreGolden(t *testing.T) {
	id := NewIdentifier("iperf", 42, vars())
	for _, c := range []struct {
		treatment Treatment
		replicate int
		want      string
	}{
		{Treatment{0, 0, Absent}, 1, "262227d16e3149dbdbad5a793cf1af36"},
		{Treatment{0, 0, Absent}, 2, "30b84a7d130fc71dad8650d7ef18e2e3"},
		{Treatment{0, 1, Absent}, 1, "b80b523edfb1f65add55f2adc62599cd"},
		{Treatment{1, 0, 0}, 1, "46818ec2ec7e56dbc6a7e6b5ed6c24d3"},
	} {
		if got := id.Identify(c.treatment, c.replicate).String(); got != c.want {
			t.Errorf("%v replicate %d: got %s, want %s", c.treatment, c.replicate, got, c.want)
		}
	}
}

func TestConditionalVariableMovesNoRunWithoutIt(t *testing.T) {
	with := NewIdentifier("iperf", 42, vars())
	without := NewIdentifier("iperf", 42, vars()[:2])
	if with.Identify(Treatment{0, 0, Absent}, 1) != without.Identify(Treatment{0, 0}, 1) {
		t.Error("an absent variable counts in the ID")
	}
}

func TestOrderOfDeclarationDoesNotCount(t *testing.T) {
	v := vars()
	a := NewIdentifier("iperf", 42, []Variable{v[0], v[1]})
	b := NewIdentifier("iperf", 42, []Variable{v[1], v[0]})
	if a.Identify(Treatment{0, 1}, 3) != b.Identify(Treatment{1, 0}, 3) {
		t.Error("the order of declaration counts in the ID")
	}
}

func TestParseRunIDReadsWhatStringPrints(t *testing.T) {
	id := NewIdentifier("iperf", 42, vars()).Identify(Treatment{0, 0, Absent}, 1)
	got, err := ParseRunID(id.String())
	if err != nil || got != id {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", "zz", "00"} {
		if _, err := ParseRunID(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
