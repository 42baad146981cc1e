package execute

import "mpf/engine"

// A Watch is told what happens while a loop runs. Its methods are called from
// several goroutines and must not block.
type Watch interface {
	SettingUp(what, host string)
	Started(run engine.Run, attempt int, group string)
	Ended(run engine.Run, attempt int, d engine.Done)
	Warned(run engine.Run, w engine.Warning)
	Waiting(host string, why error)      // for a host that is gone
	Back(host string, how engine.Fenced) // and nothing of the attempt that lost it runs there any more
	GivenUp(host string, why error)      // its group takes no more runs
	Logged(run engine.Run, step, host, text string)
}

type silence struct{}

func (silence) SettingUp(string, string)                  {}
func (silence) Started(engine.Run, int, string)           {}
func (silence) Ended(engine.Run, int, engine.Done)        {}
func (silence) Warned(engine.Run, engine.Warning)         {}
func (silence) Waiting(string, error)                     {}
func (silence) Back(string, engine.Fenced)                {}
func (silence) GivenUp(string, error)                     {}
func (silence) Logged(engine.Run, string, string, string) {}
