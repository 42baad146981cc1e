package agentbin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// A Binary is an agent: an executable whose argv is its path and
// wire.AgentArgument.
type Binary struct {
	Content []byte
	SHA256  string // lower-case hexadecimal
}

// Size is the length of the executable.
func (b Binary) Size() int64 { return int64(len(b.Content)) }

// Reader reads the executable from its start.
func (b Binary) Reader() io.ReadSeeker { return bytes.NewReader(b.Content) }

// Find returns the agent for hosts of a system, named as Go names them.
func Find(ctx context.Context, goos, goarch string) (Binary, error) {
	if goos != runtime.GOOS || goarch != runtime.GOARCH {
		return Binary{}, fmt.Errorf("no agent for %s/%s", goos, goarch)
	}
	path, err := os.Executable()
	if err != nil {
		return Binary{}, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Binary{}, err
	}
	return newBinary(content), nil
}

func newBinary(content []byte) Binary {
	sum := sha256.Sum256(content)
	return Binary{Content: content, SHA256: hex.EncodeToString(sum[:])}
}
