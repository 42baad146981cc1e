package execute

import "mpf/engine"

// retries says how many attempts may follow the first after such an end.
func (w *worker) retries(run engine.Run, done engine.Done) int {
	switch done.Status {
	case engine.Unreachable, engine.Interrupted:
		if engine.HostGone(done.Status, done.Cause) {
			return w.loop.Limits.Attempts - 1
		}
	case engine.Failed, engine.TimedOut:
		if !done.Cause.Mistaken() {
			return w.loop.stepRetries(done.Step)
		}
	}
	return 0
}

func (l *Loop) stepRetries(name string) int {
	for _, stage := range l.Experiment.Timeline {
		for _, step := range stage {
			if step.Name == name {
				return step.Retries
			}
		}
	}
	return 0
}

// judge returns an error where a run that ended so ends the loop.
func (w *worker) judge(done engine.Done) error {
	if w.loop.FirstStops && done.Status.Bad() {
		return ErrStopped
	}
	if err := w.loop.mistakes.note(done); err != nil && !w.loop.KeepGoing {
		return err
	}
	return nil
}
