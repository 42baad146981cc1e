package campaign

import (
	"context"
	"sync"
	"time"
)

const (
	// publishEvery is the time between two publications while running, of few
	// rows and of many.
	publishEvery     = 10 * time.Second
	publishManyEvery = 60 * time.Second
	manyRows         = 100_000
)

// A publisher replaces the tables now and then while a campaign is running.
type publisher struct {
	campaign *Campaign
	stop     context.CancelFunc
	stopped  chan struct{}
	dirty    chan struct{}

	mu      sync.Mutex
	warning error // of the last publication while running
}

// startPublisher starts the goroutine that publishes, if there are tables.
func startPublisher(c *Campaign) *publisher {
	ctx, stop := context.WithCancel(context.Background())
	p := &publisher{campaign: c, stop: stop, stopped: make(chan struct{}), dirty: make(chan struct{}, 1)}
	if c.config.Tables == nil {
		close(p.stopped)
	} else {
		go p.loop(ctx)
	}
	return p
}

// changed says that there is something new to publish.
func (p *publisher) changed() {
	select {
	case p.dirty <- struct{}{}:
	default:
	}
}

// loop publishes the first attempt that ends in a new campaign, so that there is
// something to look at, and from then on now and then what is new.
func (p *publisher) loop(ctx context.Context) {
	defer close(p.stopped)
	for first := p.campaign.journal.Summary().Done == 0; ; first = false {
		if !first && p.campaign.config.Clock.Sleep(ctx, p.pause()) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-p.dirty:
		}
		err := p.publish(ctx)
		p.mu.Lock()
		p.warning = err
		p.mu.Unlock()
	}
}

// pause is the time between two publications.
func (p *publisher) pause() time.Duration {
	if p.campaign.journal.Summary().Done > manyRows {
		return publishManyEvery
	}
	return publishEvery
}

// publish replaces the tables. On a machine that is measured it waits for the
// attempts that are open there and holds up the next ones.
func (p *publisher) publish(ctx context.Context) (err error) {
	c := p.campaign
	publish := func() { _, err = c.config.Tables.Publish(ctx, c, false) }
	if len(c.config.Measured) > 0 {
		c.gate.Hold(ctx, publish)
	} else {
		publish()
	}
	return err
}

// end stops the goroutine.
func (p *publisher) end() {
	p.stop()
	<-p.stopped
}

// PublishWarning returns the error of the last publication while running. The
// record itself is untouched by it.
func (c *Campaign) PublishWarning() error {
	c.publisher.mu.Lock()
	defer c.publisher.mu.Unlock()
	return c.publisher.warning
}
