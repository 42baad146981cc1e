package starlib

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"mpf/engine"
)

func TestConditionsLinksAndExclusionsAreResolved(t *testing.T) {
	e := mustLoad(t, `
experiment("x")
variable("child", [1], when = {"parent": ["on", 3], "kind": "b"})
variable("parent", {"on": 1, "off": None, "many": [1, 2], "three": 3})
variable("kind", ["a", "b"])
linked(["kind", "parent"], rows = [["b", "off"], ["a", "on"]])
limit = 1
exclude(lambda child, parent: child == limit and parent == 3)
sample(2, "pairwise")
result("y", float)
until("y", ci = 0.1, min = 3, max = 9)
r = role("r")
deploy(r, build = ["make"], per = "kind", source = "src", packages = ["gcc"])
r.step(lambda ctx: None, delay = "1s", timeout = 3, retries = 2, trace = True)
`)
	if got := fmt.Sprint(e.Variables[0].When); got != "[{1 [0 3]} {2 [1]}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(e.Links[0].Variables, e.Links[0].Rows); got != "[2 1] [[1 1] [0 0]]" {
		t.Error(got)
	}
	if got := fmt.Sprint(*e.Partial, e.Stopping); !strings.HasPrefix(got, "{2 pairwise") || !strings.Contains(got, "[{y 0.1 3 9") {
		t.Error(got)
	}
	d := e.Deployments[0]
	if got := fmt.Sprint(d.Role, " ", d.Source, " ", d.Packages, d.Build, d.Per); got != "0 src map[:[gcc]] [make] [2]" {
		t.Error(got)
	}
	s := e.Timeline[0][0]
	if got := fmt.Sprint(s.Name, " ", s.Delay, s.Timeout, s.Retries, s.Trace); got != "lambda 1s 3s 2 true" {
		t.Error(got)
	}
	x := e.Exclusions[0]
	for _, c := range []struct {
		values []engine.Value
		want   bool
	}{{[]engine.Value{int64(1), int64(3)}, true}, {[]engine.Value{nil, int64(3)}, false}, {[]engine.Value{int64(1), nil}, false}} {
		if got, err := x.Excludes(c.values); got != c.want || err != nil {
			t.Errorf("%v: %v, %v", c.values, got, err)
		}
	}
}

func TestPredicatesAreCalledFromManyGoroutines(t *testing.T) {
	e := mustLoad(t, "experiment('x')\nvariable('a', range(100))\nodd = {i: i % 2 == 1 for i in range(100)}\n"+
		"exclude(lambda table = odd, a = 7: table[a])\nr = role('r')\nr.step(lambda ctx: None)\n")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range int64(100) {
				if got, err := e.Exclusions[0].Excludes([]engine.Value{i}); got != (i%2 == 1) || err != nil {
					t.Errorf("%d: %v, %v", i, got, err)
				}
			}
		})
	}
	group.Wait()
}

func TestAPredicateThatFailsSaysForWhat(t *testing.T) {
	for _, c := range []struct{ predicate, want string }{
		{"lambda a: a > 3", "a.star:3:21: exclude: NoneType > int not implemented, for a = None (a variable is None in treatments where it does not exist: test for None first)"},
		{"lambda a: 3", "a.star:3:8: exclude: the predicate returned int for a = None, want True or False (compare, as in x == y)"},
		{"lambda a: len([i for i in range(1 << 40)]) > 3", "used up its steps: 1000000"},
		{"lambda a: top[0]('b', [1])", "declarations are made while the file is loaded"},
		{"lambda a: top.append(1)", "frozen"},
	} {
		e := mustLoad(t, "experiment('x'); top = [variable]\nvariable('a', [1])\nexclude("+c.predicate+")\nr = role('r')\nr.step(lambda ctx: None)\n")
		_, err := e.Exclusions[0].Excludes([]engine.Value{nil})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.predicate, err)
		}
	}
}

func TestRolesLinksAndHostsNamedByVariables(t *testing.T) {
	e := mustLoad(t, `
experiment("x", timeout = "1m", retries = 1)
a = role("a")
b = role("b", hosts = ["n1", "n2"], count = 2, needs = ["nic"], sample = False)
variable("side", [a, b])
variable("place", ["n1", "n2"], names = "hosts")
variable("wire", ["data"], names = "links")
c = role("c", hosts = "place")
role_of("side").step(lambda ctx: None, name = "s")
together(a.step(lambda ctx: None, name = "t"), c.step(lambda ctx: None, name = "u", link = "wire"))
b.step(lambda ctx: None, name = "v", link = "control")
a.setup(lambda ctx: None)
a.cleanup(lambda ctx, side: None)
`)
	if e.Roles[2].HostsFrom != "place" || len(e.Roles[2].Hosts) != 0 || e.Roles[1].Count != 2 || e.Roles[1].HostsFrom != "" {
		t.Errorf("%+v", e.Roles)
	}
	if e.Roles[0].Sampling != nil || e.Roles[1].Sampling == nil || !e.Roles[1].Sampling.Off {
		t.Errorf("%+v", e.Roles)
	}
	if e.Variables[0].Names != engine.NamesRoles || e.Variables[0].Levels[1].Value != "b" {
		t.Errorf("%+v", e.Variables[0])
	}
	if len(e.Timeline) != 3 || len(e.Timeline[1]) != 2 {
		t.Fatalf("%d stages", len(e.Timeline))
	}
	s, u, v := e.Timeline[0][0], e.Timeline[1][1], e.Timeline[2][0]
	if s.RoleFrom != "side" || u.LinkFrom != "wire" || u.Link != "" || u.Role != 2 || v.Link != "control" || v.LinkFrom != "" {
		t.Errorf("%+v\n%+v\n%+v", s, u, v)
	}
	if v.Retries != 1 || v.Timeout.Minutes() != 1 || len(e.Roles[0].Setup) != 1 || len(e.Roles[0].Cleanup) != 1 {
		t.Errorf("%+v", v)
	}
}

func TestFlagsTakeTheTypeOfTheirDefault(t *testing.T) {
	text := `
experiment("x")
variable("v", [flag("n", 3), flag("f", 0.5), flag("s", "a"), flag("b", False), flag("none", None), flag("l", ["p"])])
r = role("r")
r.step(lambda ctx: None)
`
	e, err := loadText(t, text, Options{Flags: map[string]string{"n": "0x10", "f": "2", "s": "x y", "b": "True", "none": "t", "l": "q,r"}})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range e.Variables[0].Levels {
		got += fmt.Sprintf("%T %v, ", l.Value, engine.FormatValue(l.Value))
	}
	if got != "int64 16, float64 2.0, string x y, bool true, string t, []interface {} [q,r], " {
		t.Error(got)
	}
	if len(e.Flags) != 6 || e.Flags[0].Default != int64(3) || e.Flags[0].Value != int64(16) {
		t.Errorf("%+v", e.Flags)
	}
	_, err = loadText(t, text, Options{Flags: map[string]string{"n": "big", "sz": "1"}})
	if err == nil || !strings.Contains(err.Error(), `flag "n": got "big", want int (give it as --flag n=3)`) ||
		!strings.Contains(err.Error(), `--flag sz: the file has no such flag (the flags: n, f, s, b, none, l)`) {
		t.Errorf("%v", err)
	}
}
