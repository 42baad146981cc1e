package exact

import (
	"reflect"
	"time"
	"unicode"

	"mpf/engine"
)

// A codec writes and reads one Go type as JSON of one exact form: the fields in
// the order of the struct, named in snake case, zero ones and functions left
// out, no spaces. What is read back equals what was written.
type codec struct {
	put func(*encoder, reflect.Value)
	get func(*Decoder, reflect.Value)
}

// field is a field of a struct.
type field struct {
	name  string
	key   string // `"name":`
	index int
	codec codec
}

// codecOf compiles the codec of a type. Types that hold themselves are not
// supported, except through engine.Value.
func codecOf(t reflect.Type) codec {
	switch t {
	case reflect.TypeFor[time.Time]():
		return codec{putTime, getTime}
	case reflect.TypeFor[engine.RunID]():
		return codec{putRunID, getRunID}
	case reflect.TypeFor[engine.Results]():
		return codec{putResults, getResults}
	case reflect.TypeFor[engine.Value]():
		return codec{putValue, getValue}
	case reflect.TypeFor[Passed]():
		return codec{putPassed, getPassed}
	}
	switch t.Kind() {
	case reflect.Bool:
		return codec{putBool, getBool}
	case reflect.Int, reflect.Int64:
		return codec{putInt, getInt}
	case reflect.Uint32, reflect.Uint64:
		return codec{putUint, getUint}
	case reflect.Float64:
		return codec{putFloat, getFloat}
	case reflect.String:
		return codec{putString, getString}
	case reflect.Pointer:
		return pointerCodec(codecOf(t.Elem()))
	case reflect.Slice:
		return sliceCodec(codecOf(t.Elem()))
	case reflect.Array:
		return arrayCodec(codecOf(t.Elem()))
	case reflect.Map:
		return mapCodec(codecOf(t.Elem()))
	case reflect.Struct:
		return structCodec(t)
	}
	panic("exact: no codec for " + t.String())
}

func structCodec(t reflect.Type) codec {
	fields := fieldsOf(t)
	return codec{
		put: func(e *encoder, v reflect.Value) {
			e.begin('{')
			putFields(e, v, fields)
			e.end('}')
		},
		get: func(d *Decoder, v reflect.Value) {
			d.Expect('{')
			getFields(d, v, fields, true)
		},
	}
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() != reflect.Func {
			name := snake(f.Name)
			fields = append(fields, field{name, `"` + name + `":`, i, codecOf(f.Type)})
		}
	}
	return fields
}

func putFields(e *encoder, v reflect.Value, fields []field) {
	for i := range fields {
		f := &fields[i]
		if x := v.Field(f.index); !x.IsZero() {
			e.comma()
			e.b = append(e.b, f.key...)
			f.codec.put(e, x)
			e.more = true
		}
	}
}

// getFields reads members up to the closing brace. They must stand in order.
func getFields(d *Decoder, v reflect.Value, fields []field, first bool) {
	for next := 0; d.Another('}', first); first = false {
		key := d.key()
		for next < len(fields) && fields[next].name != string(key) {
			next++
		}
		if next == len(fields) {
			d.Fail("unexpected field %q", key)
			return
		}
		fields[next].codec.get(d, v.Field(fields[next].index))
		next++
	}
}

func pointerCodec(elem codec) codec {
	return codec{
		put: func(e *encoder, v reflect.Value) { elem.put(e, v.Elem()) },
		get: func(d *Decoder, v reflect.Value) {
			v.Set(reflect.New(v.Type().Elem()))
			elem.get(d, v.Elem())
		},
	}
}

func sliceCodec(elem codec) codec {
	return codec{
		put: func(e *encoder, v reflect.Value) { putItems(e, v, elem) },
		get: func(d *Decoder, v reflect.Value) {
			d.Expect('[')
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			for i := 0; d.Another(']', i == 0); i++ {
				if i == v.Cap() {
					v.Grow(1)
				}
				v.SetLen(i + 1)
				v.Index(i).SetZero()
				elem.get(d, v.Index(i))
			}
		},
	}
}

func arrayCodec(elem codec) codec {
	return codec{
		put: func(e *encoder, v reflect.Value) { putItems(e, v, elem) },
		get: func(d *Decoder, v reflect.Value) {
			d.Expect('[')
			for i := 0; d.Another(']', i == 0); i++ {
				if i == v.Len() {
					d.Fail("more than %d items", v.Len())
					return
				}
				elem.get(d, v.Index(i))
			}
		},
	}
}

func putItems(e *encoder, v reflect.Value, elem codec) {
	e.begin('[')
	for i := range v.Len() {
		e.comma()
		elem.put(e, v.Index(i))
		e.more = true
	}
	e.end(']')
}

func mapCodec(elem codec) codec {
	return codec{
		put: func(e *encoder, v reflect.Value) {
			e.begin('{')
			for _, key := range sortedKeys(v) {
				e.comma()
				e.text(key.String())
				e.b = append(e.b, ':')
				elem.put(e, v.MapIndex(key))
				e.more = true
			}
			e.end('}')
		},
		get: func(d *Decoder, v reflect.Value) {
			d.Expect('{')
			v.Set(reflect.MakeMap(v.Type()))
			for first := true; d.Another('}', first); first = false {
				key := d.name()
				item := reflect.New(v.Type().Elem()).Elem()
				elem.get(d, item)
				v.SetMapIndex(reflect.ValueOf(key), item)
			}
		},
	}
}

// snake writes BootID as boot_id.
func snake(name string) string {
	runes := []rune(name)
	var out []rune
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && runes[i+1] != 's') {
			out = append(out, '_')
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}
