package journal

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/record"
)

// fill sets every field below v to something that is not zero, so that a field
// that the record would lose is seen.
func fill(v reflect.Value, seed *int) {
	*seed++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(int64(*seed), 123456789).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*seed))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*seed))
	case reflect.Float64:
		v.SetFloat(float64(*seed) / 7)
	case reflect.String:
		v.SetString(strings.Repeat("ä\"\\\n", *seed%3) + "x")
	case reflect.Interface:
		v.Set(reflect.ValueOf([]engine.Value{nil, true, int64(*seed), 0.5, "s", []engine.Value{}}))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), seed)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), seed)
		fill(v.Index(1), seed)
	case reflect.Array:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.Index(i).SetUint(uint64(*seed+i) & 255)
			} else {
				fill(v.Index(i), seed)
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		item := reflect.New(v.Type().Elem()).Elem()
		fill(item, seed)
		v.SetMapIndex(reflect.ValueOf("b"), item)
		v.SetMapIndex(reflect.ValueOf("a"), item)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type.Kind() != reflect.Func {
				fill(v.Field(i), seed)
			}
		}
	}
}

func TestEveryFieldOfEveryEventIsKept(t *testing.T) {
	for kind, s := range shapes {
		event := s.make()
		seed := 0
		fill(reflect.ValueOf(event).Elem(), &seed)
		text, err := appendEvent(nil, event)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseEvent(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(event, back) {
			t.Errorf("%s: wrote %+v\nread %+v", kind, event, back)
		}
	}
}

func TestEveryFieldOfAPlanIsKept(t *testing.T) {
	var plan record.Plan
	seed := 0
	fill(reflect.ValueOf(&plan).Elem(), &seed)
	plan.SHA256 = ""
	text, err := EncodePlan(plan)
	must(t, err)
	back, err := DecodePlan(text)
	must(t, err)
	if !reflect.DeepEqual(plan, back) {
		t.Errorf("wrote %+v\nread %+v", plan, back)
	}
}

func TestLevelsThatAreNotPlainBecomeOpaque(t *testing.T) {
	levels := []engine.Level{{Label: "struct", Value: struct{ x int }{1}}}
	plan := record.Plan{Experiment: engine.Experiment{Variables: []engine.Variable{{Name: "v", Levels: levels}}}}
	text, err := EncodePlan(plan)
	must(t, err)
	back, err := DecodePlan(text)
	must(t, err)
	id := func(p record.Plan) engine.RunID {
		return engine.NewIdentifier("e", 1, p.Experiment.Variables).Identify(engine.Treatment{0}, 1)
	}
	if got := back.Experiment.Variables[0].Levels[0].Value; got != (record.Opaque{}) {
		t.Errorf("read back as %#v", got)
	}
	if id(plan) != id(back) {
		t.Error("the run has another identity after reading the plan back")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What an attempt left is read of its DONE alone, whatever else a frame holds.
func TestLeftIsReadOfAnEnded(t *testing.T) {
	var events []Event
	for _, s := range shapes {
		event := s.make()
		seed := 0
		fill(reflect.ValueOf(event).Elem(), &seed)
		events = append(events, event)
	}
	events = append(events, &Ended{Run: engine.RunID{1}, Attempt: 2, Done: engine.Done{Message: `],{"event":"DONE"`}})
	var want, got []Left
	for _, event := range events {
		if e, ok := event.(*Ended); ok {
			want = append(want, Left{Run: e.Run, Attempt: e.Attempt, Files: e.Files, Spilled: e.Spilled})
		}
	}
	text, err := appendEvents(nil, events)
	must(t, err)
	_, err = new(walk).left(text, func(l Left, err error) bool { got = append(got, l); return true })
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
	for cut := range len(text) {
		if _, err := new(walk).left(text[:cut], func(Left, error) bool { return true }); err == nil {
			t.Fatalf("%d bytes of %d are read", cut, len(text))
		}
	}
}
