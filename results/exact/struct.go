package exact

import (
	"bytes"
	"reflect"
)

// A Struct is the form in which a struct is written.
type Struct struct{ fields []field }

// StructOf returns the form of a struct type.
func StructOf[T any]() *Struct { return &Struct{fieldsOf(reflect.TypeFor[T]())} }

// Append appends an object: the members that head holds, then the fields of the
// struct that v points to.
func (s *Struct) Append(b []byte, head string, v any) ([]byte, error) {
	return s.append(encoder{b: b}, head, v)
}

// AppendOpaque is Append where values that are not plain are allowed: they are
// read back as record.Opaque.
func (s *Struct) AppendOpaque(b []byte, v any) ([]byte, error) {
	return s.append(encoder{b: b, opaque: true}, "", v)
}

func (s *Struct) append(e encoder, head string, v any) ([]byte, error) {
	e.begin('{')
	e.b = append(e.b, head...)
	e.more = head != ""
	putFields(&e, reflect.ValueOf(v).Elem(), s.fields)
	e.end('}')
	return e.b, e.err
}

// Decode reads an object into the struct that v points to. Nothing but line
// feeds may follow.
func (s *Struct) Decode(b []byte, v any) error {
	d := Decoder{b: bytes.TrimRight(b, "\n")}
	d.Expect('{')
	getFields(&d, reflect.ValueOf(v).Elem(), s.fields, true)
	return d.End()
}

// Members reads the rest of an object, after members that the caller has read,
// into the struct that v points to.
func (d *Decoder) Members(s *Struct, v any) {
	getFields(d, reflect.ValueOf(v).Elem(), s.fields, false)
}
