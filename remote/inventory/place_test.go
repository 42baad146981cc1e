package inventory

import (
	"reflect"
	"testing"

	"mpf/engine"
)

const four = `
hosts:
  n1: {tags: [nic]}
  n2: {interfaces: {data: 10.0.0.2}}
  n3: {tags: [nic]}
  n4: {interfaces: {data: 10.0.0.4}}
roles: {server: [n1, n3], client: [n2, n4]}
links: {data: [n2.data, n4.data]}
`

func parse(t *testing.T, text string) *Cluster {
	t.Helper()
	c, err := Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func at(line int) engine.Pos { return engine.Pos{File: "x.star", Line: line, Col: 1} }

func TestPlaceGivesEachGroupItsShareOfTheRoles(t *testing.T) {
	c := parse(t, four+"groups: {left: [n1, n2], right: [n3, n4]}")
	e := &engine.Experiment{Roles: []engine.Role{{Name: "server", Needs: []string{"nic"}}, {Name: "client"}}}
	got, err := c.Place(e)
	if err != nil {
		t.Fatal(err)
	}
	want := Placement{
		Groups: []Group{{"left", [][]string{{"n1"}, {"n2"}}}, {"right", [][]string{{"n3"}, {"n4"}}}},
		Hosts:  []string{"n1", "n2", "n3", "n4"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPlaceTakesOnlyTheHostsThatPlay(t *testing.T) {
	e := &engine.Experiment{
		Roles: []engine.Role{{Name: "server", Hosts: []string{"n3"}}, {Name: "probe", HostsFrom: "where"}},
		Variables: []engine.Variable{{Name: "where", Names: engine.NamesHosts,
			Levels: []engine.Level{{Label: "n2", Value: "n2"}}}},
	}
	got, err := parse(t, four).Place(e)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"n2", "n3"}; !reflect.DeepEqual(got.Hosts, want) {
		t.Errorf("hosts %v, want %v", got.Hosts, want)
	}
}

func TestLocalClusterPlaysEveryRole(t *testing.T) {
	got, err := Local().Place(&engine.Experiment{Roles: []engine.Role{{Name: "a"}, {Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{LocalHost}, {LocalHost}}; !reflect.DeepEqual(got.Groups[0].Roles, want) {
		t.Errorf("got %v, want %v", got.Groups[0].Roles, want)
	}
}

func TestPlaceSaysAllThatDoesNotFit(t *testing.T) {
	e := &engine.Experiment{
		Roles: []engine.Role{
			{Name: "sever", Pos: at(1)},
			{Name: "client", Count: 3, Needs: []string{"nic"}, Pos: at(2)},
			{Name: "other", Hosts: []string{"n5"}, Pos: at(3)},
		},
		Variables: []engine.Variable{{Name: "via", Names: engine.NamesLinks, Pos: at(4),
			Levels: []engine.Level{{Label: "data", Value: "data"}, {Label: "dat", Value: "dat"}}}},
	}
	_, err := parse(t, four).Place(e)
	want := `x.star:1:1: role "sever": no host plays it (c.yaml: did you mean "server"?)
x.star:2:1: role "client": needs 3 hosts, 2 play it (add hosts to roles: {client: [...]} of c.yaml)
x.star:2:1: role "client": host "n2" has no tag "nic" (choose another host, or add tags: [nic] to "n2" in c.yaml)
x.star:2:1: role "client": host "n4" has no tag "nic" (choose another host, or add tags: [nic] to "n4" in c.yaml)
x.star:3:1: role "other": no host "n5" in c.yaml (hosts there: n1, n2, n3, n4)
x.star:4:1: variable "via": no link "dat" in c.yaml (did you mean "data"?)`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestWithoutClusterFileNamedHostsAreMistakes(t *testing.T) {
	_, err := Local().Place(&engine.Experiment{Roles: []engine.Role{{Name: "a", Hosts: []string{"n1"}, Pos: at(1)}}})
	want := `x.star:1:1: role "a": no host "n1" in a cluster file (give the cluster file: -c cluster.yaml)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestALinkWhoseOtherEndTakesNoPartIsRefused(t *testing.T) {
	c, err := Parse("c.yaml", []byte(`hosts:
  a: {local: true, interfaces: {data: 10.0.0.1}}
  b: {interfaces: {data: 10.0.0.2}}
links:
  wan: {ends: [a.data, b.data], rate: 1mbit}
  lan: [a.data, b.data]
`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Place(&engine.Experiment{Roles: []engine.Role{{Name: "r", Hosts: []string{"a"}, Pos: at(1)}}})
	want := `c.yaml:5:3: link "wan": host "b" takes no part, and "a" does: both ends would have to be shaped (give "b" a role, or take delay, rate and loss out)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
