package record

import (
	"net/url"
	"path"
	"strings"
)

// Sample segments lie in the folder of an attempt and are called
// samples-<host>.arrows.
const (
	segmentPrefix = "samples-"
	segmentSuffix = ".arrows"

	// Partial ends the name of a sample segment that nobody closed.
	Partial = ".partial"
)

// SegmentName returns the name of a host's sample segment.
func SegmentName(host string) string { return segmentPrefix + url.PathEscape(host) + segmentSuffix }

// IsSegment reports whether a file of an attempt is a sample segment, closed or
// not.
func IsSegment(name string) bool {
	return strings.HasPrefix(name, segmentPrefix) && path.Dir(name) == "."
}

// SegmentHost returns the host of a sample segment, closed or not.
func SegmentHost(name string) string {
	host := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(name, Partial), segmentSuffix), segmentPrefix)
	if plain, err := url.PathUnescape(host); err == nil {
		return plain
	}
	return host
}
