package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// Every field of every message, alone and all together, comes back as it was,
// by whichever of the two ways it is written and read.
func TestListedMessagesLoseNothing(t *testing.T) {
	for _, zero := range []any{Request{}, Response{}} {
		for _, v := range filled(reflect.TypeOf(zero)) {
			there := reflect.New(v.Type())
			there.Elem().Set(v)
			text, err := marshal(there.Interface())
			if err != nil {
				t.Fatal(err)
			}
			plain, general := reflect.New(v.Type()), reflect.New(v.Type())
			if err := unmarshal(text, plain.Interface()); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := json.Unmarshal(text, general.Interface()); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for _, got := range []reflect.Value{plain.Elem(), general.Elem()} {
				if !reflect.DeepEqual(got.Interface(), v.Interface()) {
					t.Errorf("%s: got %+v, want %+v", text, got, v)
				}
			}
		}
	}
}

// filled makes values of a struct: zero, one for each field that alone is set,
// and one in which all are.
func filled(of reflect.Type) []reflect.Value {
	all := reflect.New(of).Elem()
	values := []reflect.Value{reflect.New(of).Elem()}
	for i := range of.NumField() {
		for _, set := range settings(of.Field(i).Type) {
			one := reflect.New(of).Elem()
			one.Field(i).Set(set)
			all.Field(i).Set(set)
			values = append(values, one)
		}
	}
	return append(values, all)
}

// settings are values of a type that are not zero.
func settings(of reflect.Type) []reflect.Value {
	var all []reflect.Value
	add := func(values ...any) {
		for _, v := range values {
			all = append(all, reflect.ValueOf(v).Convert(of))
		}
	}
	switch of.Kind() {
	case reflect.String:
		add("true", "a \"b\" \\ \n\t\x01", "schön <&> \u2028", "{}[],:")
	case reflect.Bool:
		add(true)
	case reflect.Int, reflect.Int64:
		add(1, -7, math.MaxInt64, math.MinInt64)
	case reflect.Uint32:
		add(1, math.MaxUint32)
	case reflect.Float64:
		add(0.1, 1e-9, 1e300, -2.5)
	case reflect.Slice:
		add([]string{"ls", "", "-l \"x\""}, []string{""})
	case reflect.Map:
		add(map[string]any{"kernel": "6.1"})
	case reflect.Pointer:
		for _, v := range filled(of.Elem()) {
			p := reflect.New(of.Elem())
			p.Elem().Set(v)
			all = append(all, p)
		}
	case reflect.Struct:
		all = filled(of)
	}
	return all
}

// Whatever a text is, it is read as encoding/json does.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		`{"do":"run","ws":3,"command":{"argv":["true","-n","1"],"env":["A=b"],"timeout":1000000000,"sudo":true}}`,
		`{"exit":{"code":-1,"signal":"SIGKILL","started":1700000000000000000,"seconds":0.001,"stdout":{"size":3,"kept":3},"stderr":{},"usage":{"utime":1e-05,"maxrss":1024}}}`,
		`{}`, `null`, ` { } `, `{"DO":"run"}`, `{"do":"run","do":"stop"}`, `{"command":{"argv":["a"]},"command":{"dir":"b"}}`,
		`{"ws":-1}`, `{"ws":4294967296}`, `{"ws":01}`, `{"ws":1.0}`, `{"exit":{"code":-0}}`, `{"exit":{"seconds":01}}`, `{"exit":{"seconds":1e999}}`,
		`{"exit":{"code":-}}`, `{"exit":{"code":99999999999999999999}}`, `{"exit":{"started":-9223372036854775808}}`, `{"exit":{"started":9223372036854775808}}`,
		`{"exit":{"seconds":.5}}`, `{"exit":{"seconds":5.}}`, `{"exit":{"seconds":5.e3}}`, `{"exit":{"seconds":+5}}`, `{"exit":{"seconds":-0.5E+3}}`, `{"exit":{"seconds":1e}}`,
		`{"exit":{"usage":{"nivcsw":1,"utime":0.5},"code":3}}`, `{"exit":{"stdout":{"size":1},"seconds":-}}`,
		`{"do":"a\u00e9\ud800"}`, "{\"do\":\"\xff\"}", `{"do":"run",}`, `{"do":"run"}x`, `{"command":null}`, `{"command":{"argv":null}}`, `{"command":{"argv":[]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compare[Request](t, text)
		compare[Response](t, text)
	})
}

func compare[T any](t *testing.T, text []byte) {
	var got, want T
	gotErr, wantErr := unmarshal(text, &got), json.Unmarshal(text, &want)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, where encoding/json says %v", text, gotErr, wantErr)
	}
	if gotErr == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %+v, where encoding/json reads %+v", text, got, want)
	}
}
