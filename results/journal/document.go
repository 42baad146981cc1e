package journal

import (
	"bytes"
	"encoding/json"

	"mpf/engine"
	"mpf/results/exact"
	"mpf/results/record"
)

var (
	planForm  = exact.StructOf[record.Plan]()
	spillForm = exact.StructOf[Spill]()
)

// EncodePlan returns the text of a plan file. Functions are left out, and so
// are values that are not plain: see record.Opaque. Its own hash is no part of
// it.
func EncodePlan(p record.Plan) ([]byte, error) {
	p.SHA256 = ""
	b, err := planForm.AppendOpaque(nil, &p)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, append(b, '\n'), "", "  "); err != nil {
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
	err := planForm.Decode(compact.Bytes(), &p)
	return p, err
}

// A Spill is the end of an attempt that is too long for an event.
type Spill struct {
	Done  engine.Done
	Files []record.File
}

// EncodeSpill returns the text of the file that Ended.Spilled names.
func EncodeSpill(s Spill) ([]byte, error) { return spillForm.Append(nil, "", &s) }

// DecodeSpill reads what EncodeSpill wrote.
func DecodeSpill(text []byte) (Spill, error) {
	var s Spill
	err := spillForm.Decode(text, &s)
	return s, err
}
