package journal

import (
	"bytes"
	"encoding/json"
	"reflect"

	"mpf/engine"
	"mpf/results/record"
)

var (
	planCodec  = codecOf(reflect.TypeFor[record.Plan]())
	spillCodec = codecOf(reflect.TypeFor[Spill]())
)

// EncodePlan returns the text of a plan file. Functions are left out, and so
// are values that are not plain: see record.Opaque. Its own hash is no part of
// it.
func EncodePlan(p record.Plan) ([]byte, error) {
	p.SHA256 = ""
	e := encoder{opaque: true}
	planCodec.put(&e, reflect.ValueOf(&p).Elem())
	if e.err != nil {
		return nil, e.err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, append(e.b, '\n'), "", "  "); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// DecodePlan reads what EncodePlan wrote.
func DecodePlan(text []byte) (record.Plan, error) {
	var p record.Plan
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return p, err
	}
	err := decodeWhole(compact.Bytes(), planCodec, reflect.ValueOf(&p))
	return p, err
}

// A Spill is the end of an attempt that is too long for an event.
type Spill struct {
	Done  engine.Done
	Files []record.File
}

// EncodeSpill returns the text of the file that Ended.Spilled names.
func EncodeSpill(s Spill) ([]byte, error) {
	e := encoder{}
	spillCodec.put(&e, reflect.ValueOf(&s).Elem())
	return e.b, e.err
}

// DecodeSpill reads what EncodeSpill wrote.
func DecodeSpill(text []byte) (Spill, error) {
	var s Spill
	err := decodeWhole(text, spillCodec, reflect.ValueOf(&s))
	return s, err
}

// CheckValue returns why a result cannot be recorded, or nil.
func CheckValue(v engine.Value) error {
	e := encoder{}
	e.value(v)
	return e.err
}

func decodeWhole(b []byte, c codec, into reflect.Value) error {
	d := decoder{b: b}
	c.get(&d, into.Elem())
	if d.err == nil && d.at != len(bytes.TrimRight(b, "\n")) {
		d.fail("bytes after the end")
	}
	return d.err
}
