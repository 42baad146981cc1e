package main

import (
	"fmt"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/record"
	"mpf/results/tables"
)

// merge unites campaigns of one plan, such as its shards.
func (p *program) merge(args []string) error {
	o := newOptions("merge DIR... -o DIR [flags]\n\n" +
		"Makes one campaign of several that have the same plan, such as the shards of one.\n" +
		"The same run is taken once; runs that were made twice are refused unless --keep says which.")
	out := o.StringP("out", "o", "", "`directory` of the campaign that is made; it must not hold one yet")
	keep := o.String("keep", "", "of runs made twice keep the `first`, the last, or the first that is ok")
	if err := o.parse(p, args, 1, -1); err != nil {
		return err
	}
	if *out == "" {
		return o.wrong("-o DIR is missing")
	}
	rule, err := keepRule(*keep)
	if err != nil {
		return err
	}
	from, err := p.readAll(o.Args())
	defer func() { closeAll(from) }()
	if err != nil {
		return err
	}
	return p.mergeInto(*out, from, rule)
}

func keepRule(word string) (campaign.Keep, error) {
	switch word {
	case "":
		return nil, nil
	case "first":
		return func(_, _ *record.Attempt) bool { return false }, nil
	case "last":
		return func(_, _ *record.Attempt) bool { return true }, nil
	case "ok":
		return func(first, second *record.Attempt) bool {
			return first.Done.Status != engine.OK && second.Done.Status == engine.OK
		}, nil
	}
	return nil, &usageError{message: fmt.Sprintf("--keep %q: is no rule", word), todo: "--keep first, last or ok"}
}

func (p *program) readAll(dirs []string) (from []*campaign.Campaign, err error) {
	for _, dir := range dirs {
		c, err := campaign.Read(followed(dir))
		if err != nil {
			return from, err
		}
		from = append(from, c)
	}
	return from, nil
}

func dirsOf(from []*campaign.Campaign) []string {
	dirs := make([]string, len(from))
	for i, c := range from {
		dirs[i] = c.Dir()
	}
	return dirs
}

// closeAll closes campaigns that were only read: nothing can be lost by that.
func closeAll(from []*campaign.Campaign) {
	for _, c := range from {
		_ = c.Close()
	}
}

func (p *program) mergeInto(dir string, from []*campaign.Campaign, keep campaign.Keep) error {
	publisher := tables.NewPublisher(nil, p.derived(dirsOf(from)...))
	c, conflicts, err := campaign.Merge(dir, from, keep, campaign.Config{MPF: mpfVersion(), Tables: publisher})
	if err != nil {
		p.sayConflicts(conflicts)
		return err
	}
	if isWhole(c) {
		c.Complete()
	}
	counts := c.Count()
	if err := c.Close(); err != nil {
		return err
	}
	if len(conflicts) > 0 {
		p.say.talk("%s made more than once, one of each kept", amount.Count(len(conflicts), "run"))
	}
	p.say.talk("%s of %s merged into %s; %s", amount.Count(rows(counts), "row"), amount.Count(len(from), "campaign"), dir, statuses(counts))
	p.say.hint("see them: mpf show %s; execute what is missing: mpf run %s", argv.Quote(dir), argv.Quote(dir))
	return nil
}

// isWhole reports whether every run of a campaign's plan has a row that stays.
func isWhole(c *campaign.Campaign) bool {
	var settled int64
	for status, n := range c.Count() {
		if !status.Resumes() {
			settled += n
		}
	}
	return settled >= c.Plan().Runs
}

// sayConflicts names the runs that were made twice, the first few of them.
func (p *program) sayConflicts(conflicts []campaign.Conflict) {
	const most = 10
	for i, c := range conflicts {
		if i == most {
			p.say.talk("and %d more", len(conflicts)-most)
			return
		}
		p.say.talk("made twice: run %s in %s and in %s", c.Run, c.Dirs[0], c.Dirs[1])
	}
}
