package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mpf/results/columns"
)

// everything is one vector of each type, with nulls and the values at the edges.
func everything(n int) ([]Field, []*columns.Vector) {
	fields := []Field{
		{Name: "b", Type: columns.Bool}, {Name: "i", Type: columns.Int}, {Name: "id", Type: columns.Int, Distinct: true},
		{Name: "f", Type: columns.Float}, {Name: "x.y", Type: columns.Float, Distinct: true},
		{Name: "s", Type: columns.String}, {Name: "run", Type: columns.String, Distinct: true},
		{Name: "t", Type: columns.Time, Distinct: true}, {Name: "l", Type: columns.List}, {Name: "none", Type: columns.String},
		{Name: "none of it", Type: columns.Int, Distinct: true}, {Name: "none at all", Type: columns.String, Distinct: true},
		{Name: "none ever", Type: columns.Float, Distinct: true}, {Name: "none true", Type: columns.Bool}, {Name: "none then", Type: columns.Time, Distinct: true},
	}
	vectors := make([]*columns.Vector, len(fields))
	for c, f := range fields {
		vectors[c] = &columns.Vector{}
		r := rand.New(rand.NewPCG(uint64(c), 7))
		for range n {
			if strings.HasPrefix(f.Name, "none") || r.IntN(5) == 0 {
				vectors[c].AddNull()
				continue
			}
			addEdge(vectors[c], f.Type, r)
		}
	}
	return fields, vectors
}

func addEdge(v *columns.Vector, t columns.Type, r *rand.Rand) {
	ints := []int64{0, -1, 1, 1<<53 + 1, math.MaxInt64, math.MinInt64, r.Int64()}
	floats := []float64{0, math.Copysign(0, -1), 0.1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, r.Float64()}
	texts := []string{"", "a", "ä\n\x00", fmt.Sprint(r.Int64())}
	switch t {
	case columns.Bool:
		v.AddBool(r.IntN(2) == 0)
	case columns.Int:
		v.AddInt(ints[r.IntN(len(ints))])
	case columns.Float:
		v.AddFloat(floats[r.IntN(len(floats))])
	case columns.Time:
		v.AddMicros(1_795_198_332_918_259 + r.Int64N(1e9))
	case columns.List:
		v.AddList(`[1,2.0,"x"]`)
	default:
		v.AddText(texts[r.IntN(len(texts))])
	}
}

func write(t testing.TB, fields []Field, groups ...[]*columns.Vector) ([]byte, Written) {
	t.Helper()
	var out bytes.Buffer
	done, err := writeTo(&out, fields, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), done
}

func writeTo(out interface{ Write([]byte) (int, error) }, fields []Field, groups ...[]*columns.Vector) (Written, error) {
	w, err := NewWriter(out, fields)
	if err != nil {
		return Written{}, err
	}
	e, err := NewEncoder()
	if err != nil {
		return Written{}, err
	}
	for _, vectors := range groups {
		chunks := make([]Chunk, len(fields))
		for i, v := range vectors {
			if chunks[i], err = e.Encode(fields[i], v); err != nil {
				return Written{}, err
			}
		}
		if err := w.Append(chunks); err != nil {
			return Written{}, err
		}
	}
	return w.Close([]KeyValue{{"key", "välue"}})
}

func same(a, b *columns.Vector) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if a.Kind(i) != b.Kind(i) || a.Word(i) != b.Word(i) || a.Text(i) != b.Text(i) {
			return false
		}
	}
	return true
}

func TestEveryTypeComesBack(t *testing.T) {
	for _, n := range []int{1, 2, 1000, 40_000} {
		fields, vectors := everything(n)
		whole, done := write(t, fields, vectors, vectors)
		if err := Verify(bytes.NewReader(whole), done, fields); err != nil {
			t.Fatal(err)
		}
		f, err := NewFile(bytes.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		if value, _ := f.Metadata("key"); value != "välue" {
			t.Errorf("metadata %q", value)
		}
		for g := range f.Groups() {
			for c, field := range fields {
				v, err := f.Read(g, c)
				if err != nil {
					t.Fatal(err)
				}
				if field.Type == columns.List {
					v.AsLists()
				}
				if !same(v, vectors[c]) {
					t.Errorf("%d rows: column %q of group %d differs", n, field.Name, g)
				}
			}
		}
	}
}

func TestChunksComeBackAndAreEqualWhenMadeAgain(t *testing.T) {
	fields, vectors := everything(5000)
	e, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fields {
		c, err := e.Encode(f, vectors[i])
		if err != nil {
			t.Fatal(err)
		}
		v, err := Decode(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := e.Encode(f, v)
		if err != nil {
			t.Fatal(err)
		}
		if !same(v, vectors[i]) || !bytes.Equal(again.data, c.data) {
			t.Errorf("column %q: not the same when decoded and encoded again", f.Name)
		}
	}
}

func TestAFileWithoutRowsOpens(t *testing.T) {
	fields, _ := everything(0)
	whole, done := write(t, fields)
	if err := Verify(bytes.NewReader(whole), done, fields); err != nil {
		t.Fatal(err)
	}
}

// failing takes n writes and fails the next, once or for ever; a silent one
// takes half of the bytes and says nothing.
type failing struct {
	n       int
	forEver bool
	silent  bool
}

var errDisk = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	f.n--
	if f.n == -1 || f.n < 0 && f.forEver {
		if f.silent {
			return len(p) / 2, nil
		}
		return 0, errDisk
	}
	return len(p), nil
}

func TestNoFailedWriteGoesUnseen(t *testing.T) {
	fields, vectors := everything(500)
	for _, kind := range []failing{{}, {forEver: true}, {silent: true}} {
		writes := 0
		for ; ; writes++ {
			sink := kind
			sink.n = writes
			_, err := writeTo(&sink, fields, vectors, vectors)
			if sink.n >= 0 {
				if err != nil {
					t.Fatalf("clean pass: %v", err)
				}
				break
			}
			if err == nil {
				t.Errorf("write %d failed (%+v), and nothing was said", writes, kind)
			}
		}
		if writes < 2*len(fields) {
			t.Errorf("only %d writes were failed", writes)
		}
	}
}

// A giveUp panics where it is read, as the library does on some damage.
type giveUp struct{ *bytes.Reader }

func (giveUp) ReadAt([]byte, int64) (int, error) { panic("a corrupt page") }
func (giveUp) Read([]byte) (int, error)          { panic("a corrupt page") }

func TestPanicWhileReadingBackIsAnError(t *testing.T) {
	fields, vectors := everything(10)
	whole, done := write(t, fields, vectors)
	if err := Verify(bytes.NewReader(whole), done, fields); err != nil {
		t.Fatal(err)
	}
	if err := Verify(giveUp{bytes.NewReader(whole)}, done, fields); err == nil {
		t.Error("taken")
	}
}

// TestDamageIsSeenBeforeTheLibrarySeesIt flips bits all over a file and cuts it.
func TestDamageIsSeenBeforeTheLibrarySeesIt(t *testing.T) {
	fields, vectors := everything(300)
	whole, _ := write(t, fields, vectors)
	for at := 0; at < len(whole); at += 3 {
		bent := bytes.Clone(whole)
		bent[at] ^= 1 << (at % 8)
		if _, err := NewFile(bytes.NewReader(bent)); err == nil {
			t.Errorf("bit %d of byte %d of %d flipped: taken", at%8, at, len(whole))
		}
	}
	for cut := 0; cut < len(whole); cut += 31 {
		if _, err := NewFile(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("cut at %d of %d bytes: taken", cut, len(whole))
		}
	}
}

// TestDictionariesAreThoseOfTheLibrary encodes texts by their places and as the
// library would, which must come to the same.
func TestDictionariesAreThoseOfTheLibrary(t *testing.T) {
	e, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		v := &columns.Vector{}
		kinds, nulls := 1+r.IntN(40), r.IntN(3)
		for range 1 + r.IntN(300) {
			if r.IntN(4) < nulls {
				v.AddNull()
			} else {
				v.AddText(strings.Repeat("x", r.IntN(3)) + fmt.Sprint(r.IntN(kinds)))
			}
		}
		many := &columns.Vector{} // of so many texts that the library makes the dictionary
		for i := range maxDictionary + 1 {
			many.AddText(fmt.Sprint("unused ", i))
		}
		many.Extend(v)
		places := make([]int, v.Len())
		for i := range places {
			places[i] = maxDictionary + 1 + i
		}
		f := Field{Name: "s", Type: columns.String}
		have, err := e.encode(f, v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.encode(f, many.Pick(places))
		if err != nil || !bytes.Equal(have.data, want.data) || fmt.Sprint(have.stats) != fmt.Sprint(want.stats) {
			t.Fatalf("seed %d: %v\n%+v\n%+v", seed, err, have, want)
		}
	}
}

// TestChunksOfAFileMakeTheSameFile takes a file apart and puts it together.
func TestChunksOfAFileMakeTheSameFile(t *testing.T) {
	e, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	fields, vectors := everything(3000)
	first, chunks := bytes.Buffer{}, make([]Chunk, len(fields))
	for i, f := range fields {
		if chunks[i], err = e.Encode(f, vectors[i]); err != nil {
			t.Fatal(err)
		}
	}
	done := writeChunks(t, &first, fields, chunks)
	f, err := NewKnownFile(bytes.NewReader(first.Bytes()), done)
	if err != nil || f.GroupRows(0) != 3000 {
		t.Fatal(err)
	}
	for i, field := range fields {
		if chunks[i], err = f.Chunk(0, i, field); err != nil {
			t.Fatal(err)
		}
	}
	var second bytes.Buffer
	if again := writeChunks(t, &second, fields, chunks); again != done || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("%+v, want %+v", again, done)
	}
	done.SHA256 = strings.Repeat("0", 64)
	if _, err := NewKnownFile(bytes.NewReader(first.Bytes()), done); err == nil {
		t.Error("another file is taken for the known one")
	}
}

func writeChunks(t *testing.T, out *bytes.Buffer, fields []Field, chunks []Chunk) Written {
	t.Helper()
	w, err := NewWriter(out, fields)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(chunks); err != nil {
		t.Fatal(err)
	}
	done, err := w.Close(nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}
