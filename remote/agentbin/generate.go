package agentbin

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Platforms are the systems that hosts may run.
func Platforms() [][2]string { return [][2]string{{"linux", "amd64"}, {"linux", "arm64"}} }

// Generate makes the agents that a built mpf carries, and returns their sizes.
func Generate(ctx context.Context) (map[string]int, error) {
	s, err := findSource()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(s.root, "remote", "agentbin", folder)
	sizes := map[string]int{}
	for _, p := range Platforms() {
		size, err := s.generate(ctx, dir, p[0], p[1])
		if err != nil {
			return nil, fmt.Errorf("agent for %s/%s: %w", p[0], p[1], err)
		}
		sizes[carriedName(p[0], p[1])] = size
	}
	return sizes, os.WriteFile(filepath.Join(dir, digestName), []byte(s.digest), 0o644)
}

func (s source) generate(ctx context.Context, dir, goos, goarch string) (int, error) {
	work, err := os.MkdirTemp("", "mpf-agent-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	built := filepath.Join(work, "agent")
	if err := s.build(ctx, goos, goarch, built); err != nil {
		return 0, err
	}
	content, err := os.ReadFile(built)
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(content); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return len(content), os.WriteFile(filepath.Join(dir, carriedName(goos, goarch)), packed.Bytes(), 0o644)
}
