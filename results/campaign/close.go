package campaign

import (
	"context"

	"mpf/results/journal"
	"mpf/results/record"
)

// Close publishes the tables a last time, records a clean end and writes the
// manifest. After an error of storage it only gives back what is held.
func (c *Campaign) Close() error {
	if c.publisher == nil { // opened by Read
		return explain(c.dir, c.release())
	}
	c.publisher.end()
	err := c.journal.Err()
	if err == nil {
		err = c.finish()
	}
	if releaseErr := c.release(); err == nil {
		err = releaseErr
	}
	return explain(c.dir, err)
}

func (c *Campaign) finish() error {
	var tables []record.File
	var publishErr error
	if c.config.Tables != nil {
		if tables, publishErr = c.config.Tables.Publish(context.Background(), c, true); publishErr != nil {
			publishErr = &StorageError{Dir: c.dir, Err: publishErr}
		}
	}
	err := c.keepSetup()
	if err == nil {
		err = c.commit(&journal.Closed{Wall: c.config.Clock.Now(), Complete: c.complete})
	}
	if err == nil {
		err = c.journal.Close()
	}
	if err != nil {
		return c.fail(err)
	}
	if publishErr != nil {
		return publishErr
	}
	if err := c.writeManifest(tables); err != nil {
		return c.fail(err)
	}
	return nil
}
