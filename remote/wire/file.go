package wire

import (
	"encoding/binary"
	"strings"
)

// A File is one that was looked into, by OpLook.
type File struct {
	Path string
	Text string // its beginning
}

// AppendFile encodes a file for the body of a reply: length and bytes of path and
// text. Both are short.
func AppendFile(b []byte, path string, text []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(path)))
	b = append(b, path...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// ParseFiles reads what AppendFile wrote. What is no text becomes one.
func ParseFiles(b []byte) ([]File, error) {
	var files []File
	d := decoder{rest: b}
	for len(d.rest) > 0 {
		path := d.bytes(int(d.uint16()))
		text := d.bytes(int(d.uint16()))
		files = append(files, File{plainText(path), plainText(text)})
	}
	if d.short {
		return nil, protocolErrorf("files in %d bytes", len(b))
	}
	return files, nil
}

func plainText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
