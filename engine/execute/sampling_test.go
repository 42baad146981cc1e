package execute

import (
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

func TestARoleSaysHowItsHostsAreWatched(t *testing.T) {
	e := &engine.Experiment{
		Sampling: engine.Sampling{Period: time.Second},
		Roles:    []engine.Role{{Name: "client"}, {Name: "server", Sampling: &engine.Sampling{Off: true}}},
	}
	c := &cast{experiment: e, roles: map[string][]engine.Host{}}
	c.play("client", []engine.Host{enginetest.NewHost(t, "a"), enginetest.NewHost(t, "b")})
	c.play("server", []engine.Host{enginetest.NewHost(t, "b")})
	a := &attempt{loop: &Loop{Experiment: e}, cast: c, sampling: e.Sampling, run: engine.Run{Replicate: 1}}
	if a.samplingOf("a").Period != time.Second || !a.samplingOf("b").Off {
		t.Errorf("a: %+v, b: %+v", a.samplingOf("a"), a.samplingOf("b"))
	}
	a.run, a.sampling = engine.Run{}, engine.Sampling{Off: true}
	e.Roles[1].Sampling.Off = false
	if !a.samplingOf("b").Off {
		t.Error("setup is watched")
	}
}
