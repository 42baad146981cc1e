package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mpf/engine"
	"mpf/engine/execute"
)

// A shownSetup is what setup did in one invocation, or for one group of it.
type shownSetup struct {
	Folder string              `json:"folder"` // below the campaign's
	Steps  []engine.StepRecord `json:"steps"`
	Files  []string            `json:"files"` // logs of builds, what steps printed
}

// showSetup prints what setup did: its steps with their commands, and the logs.
func (p *program) showSetup(dir string, wantJSON bool) error {
	setups, err := readSetups(dir)
	if err != nil {
		return err
	}
	if wantJSON {
		return p.say.json(setups)
	}
	if len(setups) == 0 {
		p.say.talk("nothing was set up")
	}
	for _, s := range setups {
		p.say.print("setup     %s\n", filepath.Join(dir, s.Folder))
		for _, step := range s.Steps {
			p.showStep(step)
		}
		for _, name := range s.Files {
			p.say.print("file      %s\n", filepath.Join(dir, s.Folder, name))
		}
	}
	return nil
}

// readSetups reads the folders of setup that hold something, the oldest first.
func readSetups(dir string) ([]shownSetup, error) {
	setups := []shownSetup{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, "setup", func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.IsDir() {
			return err
		}
		s, err := readSetup(root, name)
		if err == nil && len(s.Files)+len(s.Steps) > 0 {
			setups = append(setups, s)
		}
		return err
	})
	return setups, err
}

func readSetup(root fs.FS, folder string) (shownSetup, error) {
	s := shownSetup{Folder: filepath.FromSlash(folder), Steps: []engine.StepRecord{}, Files: []string{}}
	entries, err := fs.ReadDir(root, folder)
	if err != nil {
		return s, err
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
		case e.Name() != execute.SetupSteps:
			s.Files = append(s.Files, e.Name())
		default:
			text, err := fs.ReadFile(root, folder+"/"+e.Name())
			if err != nil {
				return s, err
			}
			if err := json.Unmarshal(text, &s.Steps); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}
