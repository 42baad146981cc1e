package main

import (
	"context"
	"io"
)

// cancelled is a writer that fails once ctx has ended, so that output without
// an end can be interrupted.
type cancelled struct {
	ctx context.Context
	io.Writer
}

func (c cancelled) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Writer.Write(p)
}
