package wire

// A File is one that was looked into, by OpLook.
type File struct {
	Path string
	Text string // its beginning
}
