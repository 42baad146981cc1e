package agentbin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
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

func newBinary(content []byte) Binary {
	sum := sha256.Sum256(content)
	return Binary{Content: content, SHA256: hex.EncodeToString(sum[:])}
}
