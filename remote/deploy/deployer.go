package deploy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"

	"mpf/engine"
)

// A Deployer puts software on hosts. Experiment, Base and Cache are needed.
type Deployer struct {
	Experiment *engine.Experiment
	Base       string // the experiment's folder: sources are relative to it
	Cache      string // folder of the controller for fetched repositories
	Logs       string // folder for what builds print, or empty: kept on the hosts only
	Temporary  string // folder for staged sources; empty: the system's

	Carried []Carried // sources as a record holds them, the newest last: they take the place of folders and of what revisions name now

	Output engine.OutputSink       // or nil: what builds print is not wanted as it comes
	Watch  func(what, host string) // or nil; told what is begun on a host

	staging sync.Mutex
	sources map[string]*staged

	sharing sync.Mutex
	homes   map[string]chan struct{} // each full while somebody works in the home

	failing sync.Mutex
	failed  map[string]error // builds whose commands failed, by key and host
}

var _ engine.Deployer = (*Deployer)(nil)

// Close removes what was staged.
func (d *Deployer) Close() error {
	d.staging.Lock()
	defer d.staging.Unlock()
	var errs []error
	for _, s := range d.sources {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	d.sources = nil
	return errors.Join(errs...)
}

// Deploy prepares hosts, all at once; those that share a home one after the
// other, so that the first builds for all.
func (d *Deployer) Deploy(ctx context.Context, x engine.Deployment, hosts []engine.Host, labels []string) (engine.Deployed, error) {
	source, err := d.stage(ctx, x)
	if err != nil {
		return engine.Deployed{}, &engine.Failure{
			Status: engine.Failed, Cause: engine.CauseBuild, Trace: []engine.Pos{x.Pos}, Err: err,
			Message: "deploy: " + err.Error(),
		}
	}
	env := d.environment(x, labels)
	job := &job{deployer: d, deployment: x, source: source, env: env, key: key(x, source, env)}
	results := make([]result, len(hosts))
	var all sync.WaitGroup
	for i := range hosts {
		all.Go(func() { results[i] = job.on(ctx, hosts[i]) })
	}
	all.Wait()
	return job.summary(hosts, results)
}

// enter waits until nobody else works in a home and returns what ends the stay.
func (d *Deployer) enter(ctx context.Context, home string) (leave func(), err error) {
	d.sharing.Lock()
	if d.homes == nil {
		d.homes = map[string]chan struct{}{}
	}
	door := d.homes[home]
	if door == nil {
		door = make(chan struct{}, 1)
		d.homes[home] = door
	}
	d.sharing.Unlock()
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// failure of a build whose commands failed in this campaign already, or nil: it
// would fail again, run after run.
func (d *Deployer) failure(build string) error {
	d.failing.Lock()
	defer d.failing.Unlock()
	return d.failed[build]
}

func (d *Deployer) fail(build string, err error) {
	d.failing.Lock()
	defer d.failing.Unlock()
	if d.failed == nil {
		d.failed = map[string]error{}
	}
	d.failed[build] = err
}

// environment gives build commands the levels that they are per.
func (d *Deployer) environment(x engine.Deployment, labels []string) []string {
	var env []string
	for i, v := range x.Per {
		variable := d.Experiment.Variables[v]
		value := ""
		for _, level := range variable.Levels {
			if level.Label == labels[i] && level.Value != nil {
				value = engine.FormatValue(level.Value)
			}
		}
		env = append(env, variable.Name+"="+value)
	}
	return env
}

// key is the hash of all that a build depends on.
func key(x engine.Deployment, source *staged, env []string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "mpf-build-1 %q %q %q %q", source.hash, x.Build, fmt.Sprint(x.Packages), env)
	return fmt.Sprintf("%x", sum.Sum(nil))[:32]
}

// A job is one deployment on its way to hosts.
type job struct {
	deployer   *Deployer
	deployment engine.Deployment
	source     *staged
	env        []string
	key        string
}

// A result is what became of a job on one host.
type result struct {
	dir      string
	rebuilt  bool
	home     string // what tells it from others; hosts may share it
	platform string
	err      error
}

// summary makes one of the results of all hosts. An error names the first host
// that failed and counts the others.
func (j *job) summary(hosts []engine.Host, results []result) (engine.Deployed, error) {
	deployed := engine.Deployed{Revision: j.source.revision(), Dirty: j.source.dirty, Warnings: j.source.warnings,
		Source: j.deployment.Source, SHA256: j.source.hash}
	var failed []error
	for i, r := range results {
		err := r.err
		if err == nil {
			err = j.unlike(hosts[i].Info().Name, r, results[:i])
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		deployed.Dir = r.dir
		deployed.Rebuilt = deployed.Rebuilt || r.rebuilt
	}
	if len(failed) == 0 {
		return deployed, nil
	}
	first := failed[0]
	var failure *engine.Failure
	if len(failed) > 1 && errors.As(first, &failure) {
		more := *failure
		more.Message += fmt.Sprintf(" (and on %d more)", len(failed)-1)
		first = &more
	}
	return deployed, first
}

// unlike refuses a host on which the software cannot lie where it lies on the
// others of its role, or would have to be two things at once.
func (j *job) unlike(host string, r result, others []result) error {
	for _, o := range others {
		switch {
		case o.err != nil:
		case o.dir != r.dir:
			return j.failure(host, fmt.Errorf("the home of its user differs from that of the other hosts: software would lie in %s and in %s (log in as the same user on all hosts of a role)", o.dir, r.dir))
		case o.home == r.home && o.platform != r.platform:
			return j.failure(host, fmt.Errorf("it shares its home with a host of another system, %q and %q, whose builds would take each other's place (give them roles, or homes, of their own)", r.platform, o.platform))
		}
	}
	return nil
}

// failure is a deployment that failed on a host. What a host says of itself, as
// that it is unreachable, stays as it is.
func (j *job) failure(host string, err error) error {
	role := j.deployer.Experiment.Roles[j.deployment.Role].Name
	message := fmt.Sprintf("deploy %q: %v", role, err)
	var known *engine.Failure
	if errors.As(err, &known) {
		if known.Status != engine.Failed {
			return err
		}
		message = fmt.Sprintf("deploy %q: %s", role, known.Message)
	}
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseBuild, Host: host, Trace: []engine.Pos{j.deployment.Pos}, Err: err, Message: message,
	}
}
