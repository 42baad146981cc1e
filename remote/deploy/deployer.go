package deploy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
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

	staging sync.Mutex
	sources map[string]*staged
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

// Deploy prepares hosts, all at once; names of one machine one after the other.
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
	for _, machine := range machines(hosts) {
		all.Go(func() {
			for _, i := range machine {
				results[i] = job.on(ctx, hosts[i])
			}
		})
	}
	all.Wait()
	return job.summary(hosts, results)
}

// machines groups the indices of hosts that are one machine.
func machines(hosts []engine.Host) map[string][]int {
	groups := map[string][]int{}
	for i, h := range hosts {
		boot := h.Info().BootID
		if boot == "" {
			boot = "host " + h.Info().Name
		}
		groups[boot] = append(groups[boot], i)
	}
	return groups
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
	dir     string
	rebuilt bool
	err     error
}

// summary makes one of the results of all hosts. An error names the first host
// that failed and counts the others.
func (j *job) summary(hosts []engine.Host, results []result) (engine.Deployed, error) {
	deployed := engine.Deployed{Revision: j.source.revision, Dirty: j.source.dirty, Warnings: j.source.warnings}
	var failed []error
	for i, r := range results {
		if r.err != nil {
			failed = append(failed, r.err)
			continue
		}
		if deployed.Dir != "" && r.dir != deployed.Dir {
			failed = append(failed, j.failure(hosts[i].Info().Name, fmt.Errorf("the home of its user differs from that of the other hosts: software would lie in %s and in %s (log in as the same user on all hosts of a role)", deployed.Dir, r.dir)))
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
		more.Message += " (and on " + strconv.Itoa(len(failed)-1) + " other hosts)"
		first = &more
	}
	return deployed, first
}

// failure is a deployment that failed on a host. What a host says of itself, as
// that it is unreachable, stays as it is.
func (j *job) failure(host string, err error) error {
	var known *engine.Failure
	if errors.As(err, &known) {
		return err
	}
	role := j.deployer.Experiment.Roles[j.deployment.Role].Name
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseBuild, Host: host, Trace: []engine.Pos{j.deployment.Pos}, Err: err,
		Message: fmt.Sprintf("deploy %q on %s: %v", role, host, err),
	}
}

// quoteWords prints argv for people.
func quoteWords(argv []string) string {
	return strconv.Quote(strings.Join(argv, " "))
}
