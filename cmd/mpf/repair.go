package main

import (
	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/results/campaign"
	"mpf/results/journal"
)

// repair keeps what comes before the damage of a journal, once the user has
// said that the rest may be lost.
func (p *program) repair(args []string) error {
	o := newOptions("repair --accept-loss DIR\n\n" +
		"Keeps the record up to the first damage; the damaged files are put aside beside it.\n" +
		"Runs whose rows are lost are listed, and are executed again by the next mpf run.")
	accept := o.Bool("accept-loss", false, "give up the rows that lie behind the damage")
	wantJSON := o.Bool("json", false, "print JSON, for programs")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	dir := followed(o.Arg(0))
	if !*accept {
		return &usageError{message: "repair: gives up the rows that lie behind the damage",
			todo: "what is damaged: mpf verify " + dir + "; then: mpf repair --accept-loss " + dir}
	}
	loss, err := campaign.Repair(dir, campaign.Config{MPF: mpfVersion()})
	if err != nil {
		return err
	}
	if *wantJSON {
		return p.say.json(lossOf(loss))
	}
	p.sayLoss(dir, loss)
	return nil
}

type lossJSON struct {
	Damage string   `json:"damage"`
	Aside  []string `json:"aside"`
	Runs   []string `json:"runs"`
}

func lossOf(loss *journal.Loss) lossJSON {
	out := lossJSON{Aside: []string{}, Runs: []string{}}
	if loss == nil {
		return out
	}
	out.Damage = loss.Damage.Error()
	out.Aside = append(out.Aside, loss.Aside...)
	for _, run := range loss.Runs {
		out.Runs = append(out.Runs, run.String())
	}
	return out
}

func (p *program) sayLoss(dir string, loss *journal.Loss) {
	if loss == nil {
		p.say.talk("%s: the journal is whole, nothing was changed", dir)
		return
	}
	p.say.talk("%v", loss.Damage)
	for _, name := range loss.Aside {
		p.say.talk("kept aside: %s", name)
	}
	for _, run := range loss.Runs {
		p.say.print("lost %s\n", run)
	}
	p.say.talk("%s lost, as far as can be told", amount.Count(len(loss.Runs), "row"))
	p.say.hint("repeat what is lost: mpf run %s", argv.Quote(dir))
}
