package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/progress"
	"mpf/engine"
	"mpf/remote/deploy"
	"mpf/results/campaign"
	"mpf/results/record"
)

// A keptSource is a deployed source as a campaign keeps it among its inputs, in
// the order in which sources were measured.
type keptSource struct {
	deploy.Carried
	File string `json:"archive,omitempty"` // beside the description
}

// deployedFolder is where sources lie below the inputs of a plan.
var deployedFolder = path.Base(record.DeployedDir(0))

// sourcesOf reads what a campaign keeps of what it deployed.
func sourcesOf(c *campaign.Campaign) ([]keptSource, error) {
	paths := map[string]string{}
	for _, f := range c.Summary().Inputs {
		if path.Base(path.Dir(f.Path)) == deployedFolder {
			paths[path.Base(f.Path)] = filepath.Join(c.Dir(), filepath.FromSlash(f.Path))
		}
	}
	return decodeSources(sorted(paths), func(name string) ([]byte, error) { return os.ReadFile(paths[name]) })
}

// decodeSources reads descriptions in the order of their names, each with its
// archive if there is one.
func decodeSources(names []string, read func(name string) ([]byte, error)) ([]keptSource, error) {
	var kept []keptSource
	for _, name := range names {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		var k keptSource
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if slices.Contains(names, k.File) {
			if k.Archive, err = read(k.File); err != nil {
				return nil, err
			}
		}
		kept = append(kept, k)
	}
	return kept, nil
}

func carriedOf(kept []keptSource) []deploy.Carried {
	carried := make([]deploy.Carried, len(kept))
	for i, k := range kept {
		carried[i] = k.Carried
	}
	return carried
}

// stage makes the deployer and all that it will send, once, before hosts are
// asked for anything.
func (s *session) stage() error {
	if len(s.experiment.Deployments) == 0 || s.deployer != nil {
		return nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	s.deployer = &deploy.Deployer{
		Experiment: s.experiment, Base: filepath.Dir(s.path), Cache: filepath.Join(cache, "mpf", "sources"), Carried: s.options.carried,
		Watch: func(what, host string) { s.say.talk("setup %q on %s", what, host) },
	}
	s.staged, err = s.deployer.Stage(s.ctx)
	var none *deploy.NotCarriedError
	if errors.As(err, &none) {
		return &hinted{err, "give the experiment's file, beside its folders: mpf run FILE -o " + argv.Quote(s.dir)}
	}
	return err
}

// keepSources keeps what was staged beside the runs. What differs from what rows
// were measured with is refused unless that is accepted.
func (s *session) keepSources() error {
	kept, err := sourcesOf(s.campaign)
	if err != nil {
		return err
	}
	var changed []string
	var fresh []deploy.Carried
	for _, c := range s.staged {
		i := newest(kept, c)
		switch {
		case i < 0:
			fresh = append(fresh, c)
		case kept[i].SHA256 != c.SHA256:
			changed = append(changed, fmt.Sprintf("source %q", c.Source))
			fresh = append(fresh, c)
		}
	}
	if len(changed) > 0 && rows(s.campaign.Count()) > 0 {
		if !s.options.acceptScript {
			return s.otherSoftware(changed)
		}
		s.say.warn("not what earlier rows were measured with: %s; column deployed tells them apart", joined(changed))
	}
	for _, c := range fresh {
		if kept, err = s.keepSource(kept, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) otherSoftware(changed []string) error {
	dir := s.campaign.Dir()
	return &campaign.RefusedError{
		Dir: dir, What: "rows were measured with other software: changed: " + joined(changed),
		Todo: fmt.Sprintf("go on with what was measured: mpf run %s; with what is there now: %s --accept-script; or begin another campaign with: mpf run --new %s",
			argv.Quote(dir), s.command(), argv.Quote(s.file)),
	}
}

// newest is the last that was kept of a source, or -1.
func newest(kept []keptSource, of deploy.Carried) int {
	for i, k := range slices.Backward(kept) {
		if k.Source == of.Source && k.Revision == of.Revision {
			return i
		}
	}
	return -1
}

// keepSource keeps a description, and an archive unless an equal one is there.
func (s *session) keepSource(kept []keptSource, c deploy.Carried) ([]keptSource, error) {
	number := fmt.Sprintf("%04d", len(kept)+1)
	k := keptSource{Carried: c}
	if i := slices.IndexFunc(kept, func(k keptSource) bool { return k.SHA256 == c.SHA256 && k.File != "" }); i >= 0 {
		k.File = kept[i].File
	} else if len(c.Archive) > 0 {
		k.File = number + ".tar.gz"
		if err := s.addDeployed(k.File, c.Archive); err != nil {
			return kept, err
		}
	}
	text, err := json.Marshal(k)
	if err != nil {
		return kept, err
	}
	return append(kept, k), s.addDeployed(number+".json", text)
}

func (s *session) addDeployed(name string, data []byte) error {
	return addDeployed(s.campaign, name, data)
}

func addDeployed(c *campaign.Campaign, name string, data []byte) error {
	return c.AddInput(campaign.Input{Path: path.Join(deployedFolder, name), Data: data})
}

// prepareDeployer says where the deployer tells what it does.
func (s *session) prepareDeployer(watch *progress.Progress) (engine.Deployer, error) {
	logs, err := s.campaign.SetupDir()
	if err != nil {
		return nil, err
	}
	s.deployer.Logs, s.deployer.Watch = logs, watch.SettingUp
	if s.options.live {
		s.deployer.Output = watch
	}
	return s.deployer, nil
}

// closeDeployer removes what was staged.
func (s *session) closeDeployer() {
	if s.deployer != nil {
		s.warnOf(s.deployer.Close)
	}
}
