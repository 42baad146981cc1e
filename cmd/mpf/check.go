package main

import (
	"errors"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
)

// check finds the mistakes of experiment files, all of them.
func (p *program) check(args []string) error {
	o := newOptions("check FILE... [flags]\n\n" +
		"Finds the mistakes of experiment files, all of them at once; nothing runs. With a cluster file\n" +
		"it also says which roles get no host.")
	var c choice
	o.StringArrayVar(&c.flags, "flag", nil, "set a flag that the file declares: `name=value`")
	c.registerCluster(o.FlagSet)
	if err := o.parse(p, args, 1, -1); err != nil {
		return err
	}
	var all engine.Mistakes
	for _, path := range o.Args() {
		var mistakes engine.Mistakes
		if err := p.checkOne(path, &c); errors.As(err, &mistakes) {
			all = append(all, mistakes...)
		} else if err != nil {
			return err
		}
	}
	return all.Err()
}

func (p *program) checkOne(path string, c *choice) error {
	l, err := p.load(path, c)
	if err != nil {
		return err
	}
	if c.cluster != "" {
		if _, err := l.cluster.Place(l.experiment); err != nil {
			return err
		}
	}
	for _, w := range l.design.Warnings() {
		p.say.warn("%v", w)
	}
	p.say.print("%s: %s x %s, %s\n", path, amount.Count(l.design.Treatments(), "treatment"),
		amount.Count(l.design.Blocks(), "replicate"), amount.Count(l.design.Runs(), "run"))
	return nil
}
