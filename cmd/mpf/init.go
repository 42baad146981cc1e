package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mpf/cmd/mpf/argv"
	"mpf/remote/inventory"
	"mpf/remote/inventory/translate"
	"mpf/starlib"
)

// clusterFile is what a cluster file is called.
const clusterFile = "cluster.yaml"

// init writes a first experiment and a first cluster file, or translates the
// cluster file of the Python program of the same name.
func (p *program) init(args []string) error {
	o := newOptions("init [NAME] [flags]\n\n" +
		"Writes NAME.star, a first experiment to be changed, and cluster.yaml beside it. What is\n" +
		"there already is never overwritten.")
	old := o.String("from-mpf", "", "translate the cluster `file` of the Python mpf instead, and say what has no counterpart")
	out := o.StringP("out", "o", "", "`file` of the translation, - for standard output; else OLD-mpf.yaml")
	if err := o.parse(p, args, 0, 1); err != nil {
		return err
	}
	if *old != "" {
		return p.initFromOld(*old, *out)
	}
	if *out != "" {
		return &usageError{message: "init: -o is for --from-mpf", todo: "name the experiment: mpf init NAME"}
	}
	word := o.Arg(0)
	if word == "" {
		word = "first"
	}
	return p.initNew(strings.TrimSuffix(word, ".star"))
}

func (p *program) initNew(path string) error {
	folder, name := filepath.Split(path)
	text, err := starlib.Starter(name)
	if err != nil {
		return &usageError{message: err.Error(), todo: "mpf init NAME"}
	}
	file := path + ".star"
	if err := writeNew(file, text, 0o777); errors.Is(err, fs.ErrExist) {
		return &usageError{message: file + ": is there already, and stays as it is", todo: "give another name: mpf init NAME; or run it: mpf run " + argv.Quote(file)}
	} else if err != nil {
		return &usageError{message: err.Error()}
	}
	p.say.talk("wrote %s, an experiment to be changed", file)
	cluster := filepath.Join(folder, clusterFile)
	switch err := writeNew(cluster, inventory.Starter(starlib.StarterRole), 0o666); {
	case errors.Is(err, fs.ErrExist):
		p.say.talk("%s is there already, and stays as it is", cluster)
	case err != nil:
		return &usageError{message: err.Error()}
	default:
		p.say.talk("wrote %s, for other machines than this one", cluster)
	}
	p.say.hint("count its runs: mpf plan %s; run it here: mpf run %s", argv.Quote(file), argv.Quote(file))
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(name, text string, mode fs.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func (p *program) initFromOld(old, out string) error {
	source, err := os.ReadFile(old)
	if err != nil {
		return &usageError{message: err.Error(), todo: "mpf init --from-mpf FILE"}
	}
	text, notes, err := translate.Translate(old, source)
	if err != nil {
		return err
	}
	if out == "" {
		out = strings.TrimSuffix(old, filepath.Ext(old)) + "-mpf.yaml"
	}
	for _, note := range notes {
		p.say.talk("%s", note)
	}
	if out == "-" {
		p.say.print("%s", text)
		return nil
	}
	if err := writeNew(out, text, 0o666); errors.Is(err, fs.ErrExist) {
		return &usageError{message: out + ": is there already, and stays as it is", todo: fmt.Sprintf("name another: mpf init --from-mpf %s -o FILE", argv.Quote(old))}
	} else if err != nil {
		return &usageError{message: err.Error()}
	}
	p.say.talk("wrote %s", out)
	p.say.hint("see whether its hosts are reached: mpf hosts -c %s", argv.Quote(out))
	return nil
}
