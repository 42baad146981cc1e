package parquet

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// The library makes a new compressor, with megabytes to clear, for each page.
// So it is let write plain pages, which are compressed here: a page's header
// says its sizes in its first fields, the rest of it stays as it is.
//
//	header = type, plain size, size, more fields, 0   (Thrift's compact form)
//	page   = header, size bytes

var errPage = errors.New("the arrow library wrote a page that is not understood")

// compressPages compresses the pages of a chunk. dataPages is the offset of the
// first data page, before and after; room is memory to work in.
func compressPages(z *zstd.Encoder, room *[]byte, plain []byte, dataPages int64) (packed []byte, dataPagesNow int64, err error) {
	packed = (*room)[:0]
	for at := 0; at < len(plain); {
		if int64(at) == dataPages {
			dataPagesNow = int64(len(packed))
		}
		h, err := parsePageHeader(plain[at:])
		if err != nil {
			return nil, 0, err
		}
		body := plain[at+h.length:]
		if h.size < 0 || h.size > len(body) {
			return nil, 0, errPage
		}
		body = body[:h.size]
		mark := len(packed)
		packed = z.EncodeAll(body, packed)
		header := h.append(nil, plain[at:], len(packed)-mark)
		packed = slices.Insert(packed, mark, header...)
		at += h.length + h.size
	}
	*room = packed
	return append(make([]byte, 0, len(packed)), packed...), dataPagesNow, nil
}

// pageHeader is what is needed of a page's header.
type pageHeader struct {
	size   int // of the page's bytes, plain
	sized  int // where the field of the compressed size begins
	rest   int // where the fields after it begin
	length int
}

// intField is the first byte of a field of 32 bits whose number is the one
// after that of the field before.
const intField = 0x15

func parsePageHeader(b []byte) (h pageHeader, err error) {
	at := 0
	for field := range 3 {
		if at >= len(b) || b[at] != intField {
			return h, errPage
		}
		if field == 2 {
			h.sized = at
		}
		value, n := binary.Varint(b[at+1:]) // zigzag, as in Thrift
		if n <= 0 {
			return h, errPage
		}
		if field == 1 {
			h.size = int(value)
		}
		at += 1 + n
	}
	h.rest = at
	end, ok := skipStruct(b, at)
	h.length = end
	if !ok {
		return h, errPage
	}
	return h, nil
}

// append writes the header with the size of the compressed bytes.
func (h pageHeader) append(b, header []byte, size int) []byte {
	b = append(b, header[:h.sized]...)
	b = append(b, intField)
	b = binary.AppendVarint(b, int64(size))
	return append(b, header[h.rest:h.length]...)
}

// skipStruct returns where a struct ends whose next field begins at a place.
func skipStruct(b []byte, at int) (int, bool) {
	for at < len(b) {
		head := b[at]
		at++
		if head == 0 {
			return at, true
		}
		if head>>4 == 0 { // the field's number follows
			if at = skipVarint(b, at); at < 0 {
				return 0, false
			}
		}
		var ok bool
		if at, ok = skipValue(b, at, head&0xf); !ok {
			return 0, false
		}
	}
	return 0, false
}

// skipValue returns where a value of one of Thrift's compact types ends.
func skipValue(b []byte, at int, kind byte) (int, bool) {
	switch kind {
	case 1, 2: // true, false
	case 3: // byte
		at++
	case 4, 5, 6: // integers
		at = skipVarint(b, at)
	case 7: // double
		at += 8
	case 8: // bytes
		n, size := binary.Uvarint(b[min(at, len(b)):])
		if size <= 0 || n > uint64(len(b)) {
			return 0, false
		}
		at += size + int(n)
	case 12:
		return skipStruct(b, at)
	default:
		return 0, false
	}
	return at, at >= 0 && at <= len(b)
}

func skipVarint(b []byte, at int) int {
	if at > len(b) {
		return -1
	}
	if _, n := binary.Uvarint(b[at:]); n > 0 {
		return at + n
	}
	return -1
}
