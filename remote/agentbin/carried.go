package agentbin

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"path"
)

// embedded holds what `go generate` made, or nothing but its README.
//
//go:embed embedded
var embedded embed.FS

const folder = "embedded"

// carriedName is the file that holds an agent.
func carriedName(goos, goarch string) string {
	return fmt.Sprintf("agent-%s-%s.gz", goos, goarch)
}

// digestName is the file that holds the digest of the source that the carried
// agents were made of.
const digestName = "agents.sources"

// mostAgent bounds what a compressed agent may become.
const mostAgent = 64 << 20

// carriedAgent unpacks an agent that this program carries, and says of which
// source it was made.
func carriedAgent(goos, goarch string) (Binary, string, error) {
	packed, err := embedded.ReadFile(path.Join(folder, carriedName(goos, goarch)))
	if err != nil {
		return Binary{}, "", fmt.Errorf("this mpf carries none: build it after `go generate ./remote/agentbin`")
	}
	digest, err := embedded.ReadFile(path.Join(folder, digestName))
	if err != nil {
		return Binary{}, "", err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Binary{}, "", err
	}
	content, err := io.ReadAll(io.LimitReader(r, mostAgent))
	if err != nil {
		return Binary{}, "", err
	}
	return newBinary(content), string(digest), nil
}
