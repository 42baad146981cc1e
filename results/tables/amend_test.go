package tables

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"mpf/engine"
	"mpf/results/fsys/fsystest"
	"mpf/results/record"
)

// learning is a campaign that learns more of attempts that were closed.
type learning struct {
	*following
	reboots []record.Reboot
}

func (l *learning) Reboots() []record.Reboot { return l.reboots }

// learn amends an attempt.
func (l *learning) learn(i int) {
	a := *l.attempts[i]
	a.Done.Rebooted()
	l.attempts[i] = &a
	l.reboots = append(l.reboots, record.Reboot{Run: a.Start.Run.ID, Attempt: a.Start.Attempt, Host: a.Done.Host})
}

// losing is a campaign each third run of which was lost with its host; of every
// other one of them a second attempt ended well.
func losing(replicates int) *learning {
	c := newCampaign(replicates)
	var all []*record.Attempt
	for i, a := range c.attempts {
		if i%3 == 0 {
			lost := *a
			lost.Done = engine.Done{Status: engine.Unreachable, Cause: engine.CauseLease, Host: "node1", Message: "nothing was heard", Wall: a.Done.Wall}
			all = append(all, &lost)
			again := *a
			again.Start.Attempt = 2
			a = &again
		}
		if i%6 != 0 {
			all = append(all, a)
		}
	}
	for i, a := range all {
		a.Sequence, a.Start.Nonce = int64(i+1), fmt.Sprint("nonce ", i)
	}
	c.attempts = all
	return &learning{following: &following{campaign: c}}
}

func (l *learning) publish(t *testing.T, p *Publisher) {
	t.Helper()
	if _, err := p.Publish(context.Background(), l, true); err != nil {
		t.Fatal(err)
	}
}

func wantSame(t *testing.T, when string, got, want *fsystest.Memory) {
	t.Helper()
	for _, name := range []string{RunsFile, StepsFile, UsageFile} {
		if !bytes.Equal(published(t, got, name), published(t, want, name)) {
			t.Errorf("%s: %s has other bytes", when, name)
		}
	}
}

// What becomes known of attempts after their rows were published is in the same
// bytes as if it had been known before.
func TestRowsThatAreAmendedAreThoseOfOnePublisher(t *testing.T) {
	o := Options{MPF: "1", GoOn: true}
	goingOn, anew := memory(t), memory(t)
	l := losing(4)
	one := NewPublisher(goingOn, Options{MPF: "1"})
	l.publish(t, one)
	another := memory(t)
	l.publish(t, NewPublisher(another, o))
	for i, a := range l.attempts {
		if a.Done.Status != engine.Unreachable {
			continue
		}
		l.learn(i)
		if i%2 == 0 {
			l.publish(t, one)
			l.publish(t, NewPublisher(another, o))
		}
	}
	l.publish(t, one)
	l.publish(t, NewPublisher(another, o))
	l.publish(t, NewPublisher(anew, o))
	wantSame(t, "one publisher", goingOn, anew)
	wantSame(t, "one publisher an invocation", another, anew)
	l.walked = 0
	l.publish(t, NewPublisher(another, o))
	if l.walked != 1 {
		t.Errorf("%d attempts were read though nothing is new", l.walked)
	}
}
