package wire

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

func frames(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewFrameWriter(&b)
	for _, p := range payloads {
		if err := w.Write(Data, p); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// Read returns the next frame. The error is io.EOF only between frames.
func (f *FrameReader) Read() (Frame, error) {
	for {
		frame, ok, err := f.Next()
		if ok || err != nil {
			return frame, err
		}
		if err := f.Fill(); err != nil {
			return Frame{}, err
		}
	}
}

func TestFramesSurviveAnyReader(t *testing.T) {
	large := bytes.Repeat([]byte("frame"), MaxPayload/5)
	raw := frames(t, nil, []byte("a"), large, []byte("z"))
	for name, r := range map[string]io.Reader{
		"whole":         bytes.NewReader(raw),
		"halves":        iotest.HalfReader(bytes.NewReader(raw)),
		"end with data": iotest.DataErrReader(bytes.NewReader(raw)),
	} {
		fr := NewFrameReader(r)
		for _, want := range [][]byte{nil, []byte("a"), large, []byte("z")} {
			f, err := fr.Read()
			if err != nil || !bytes.Equal(f.Payload, want) {
				t.Fatalf("%s: %d bytes, %v; want %d", name, len(f.Payload), err, len(want))
			}
		}
		if _, err := fr.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %v at the end", name, err)
		}
	}
}

// Whatever bit is wrong, and wherever the stream is cut, no wrong frame comes
// out.
func TestDamageIsSeen(t *testing.T) {
	raw := frames(t, []byte("first"), []byte("second"))
	for bit := range len(raw) * 8 {
		damaged := bytes.Clone(raw)
		damaged[bit/8] ^= 1 << (bit % 8)
		fr := NewFrameReader(bytes.NewReader(damaged))
		var got []string
		for {
			f, err := fr.Read()
			if err != nil {
				break
			}
			got = append(got, string(f.Payload))
		}
		if len(got) > 1 || len(got) == 1 && (got[0] != "first" || bit/8 < headerSize+5) {
			t.Fatalf("bit %d: got %q", bit, got)
		}
	}
	for cut := range len(raw) {
		fr := NewFrameReader(bytes.NewReader(raw[:cut]))
		for range 2 {
			if _, err := fr.Read(); err != nil {
				whole := cut == 0 || cut == headerSize+5
				if errors.Is(err, io.EOF) != whole {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				break
			}
		}
	}
}

func TestRefusedFrames(t *testing.T) {
	first := frames(t, []byte("a"))
	for name, raw := range map[string][]byte{
		"4 GiB":        append([]byte{0xff, 0xff, 0xff, 0xff, byte(Data)}, make([]byte, 100)...),
		"unknown type": append([]byte{0, 0, 0, 0, 200}, make([]byte, 100)...),
		"repeated":     append(bytes.Clone(first), first...),
	} {
		fr := NewFrameReader(bytes.NewReader(raw))
		_, err := fr.Read()
		if name == "repeated" {
			_, err = fr.Read()
		}
		var protocol *ProtocolError
		if !errors.As(err, &protocol) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := NewFrameWriter(io.Discard).Write(Data, make([]byte, MaxPayload+1)); err == nil {
		t.Error("a frame that is too large was written")
	}
}

func TestPreamble(t *testing.T) {
	good := Preamble{Token: "token", SHA256: "ab", Protocol: Protocol}
	got, err := ReadPreamble(strings.NewReader(good.String()+"rest"), "token")
	if err != nil || got != good {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, c := range map[string][2]string{
		"junk":          {"Welcome to node1\n", `expected MPF1, got "Welcome to node1"`},
		"binary":        {"\x00\xff\xfe\n", "expected MPF1"},
		"no end":        {strings.Repeat("x", 10000), "expected MPF1"},
		"cut":           {"MPF1 tok", "expected MPF1"},
		"other dial":    {"MPF1 other ab 1\n", "another dial"},
		"other version": {"MPF1 token ab 999\n", `protocol "999"`},
		"few words":     {"MPF1 token\n", "expected MPF1"},
	} {
		if _, err := ReadPreamble(strings.NewReader(c[0]), "token"); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: got %v, want %q", name, err, c[1])
		}
	}
	if _, err := ReadPreamble(strings.NewReader(""), "token"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("nothing: %v", err)
	}
	g := Greeting{Token: "token", Hash: true}
	if got, err := ReadGreeting(strings.NewReader(g.String())); err != nil || got != g {
		t.Errorf("greeting %+v, %v", got, err)
	}
}

func TestReadingRoundTrip(t *testing.T) {
	r := HostReading{Wall: 1, Mono: 2, Took: 3, CPUs: 4, LoSent: -1, CPUMean: 5.5, Extra: map[string]float64{"gpu.0": 1, "": math.Inf(1)}}
	got, err := ParseReading(r.Append(nil))
	if err != nil || got.Wall != 1 || got.LoSent != -1 || got.CPUMean != 5.5 || len(got.Extra) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	whole := r.Append(nil)
	for cut := range whole {
		if _, err := ParseReading(whole[:cut]); err == nil {
			t.Fatalf("a reading cut at %d was taken", cut)
		}
	}
}

// pair makes two connections that speak with each other.
func TestFilesRoundTrip(t *testing.T) {
	long := strings.Repeat("x", 16<<10)
	whole := AppendFile(AppendFile(AppendFile(nil, "/a", nil), "/b/c d", []byte(long)), "/e", []byte("\xff\n"))
	got, err := ParseFiles(whole)
	if err != nil || !slices.Equal(got, []File{{"/a", ""}, {"/b/c d", long}, {"/e", "\uFFFD\n"}}) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := ParseFiles(whole[:len(whole)-1]); err == nil {
		t.Error("files that are cut were taken")
	}
}

func pair() (a, b *Conn, stop func()) {
	fromA, toB := io.Pipe()
	fromB, toA := io.Pipe()
	return NewConn(fromB, toB), NewConn(fromA, toA), func() { toB.Close(); toA.Close() }
}

func TestStreamIsHeldBackByItsReader(t *testing.T) {
	a, b, stop := pair()
	defer stop()
	out, in := NewStream(a, 7), NewStream(b, 7)
	serve := func(c *Conn, s *Stream) {
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			if err := s.Deliver(m); err != nil {
				t.Error(err)
			}
		}
	}
	go serve(a, out)
	go serve(b, in)
	content := bytes.Repeat([]byte("0123456789"), Window/5) // two windows
	var sender sync.WaitGroup
	sender.Go(func() {
		if n, err := out.Write(content); n != len(content) || err != nil {
			t.Errorf("%d bytes written, %v", n, err)
		}
		if err := out.CloseWrite(); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(in)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d of %d bytes came, %v", len(got), len(content), err)
	}
	sender.Wait()
}

func TestStreamRefusesMoreThanCredited(t *testing.T) {
	s := NewStream(NewConn(strings.NewReader(""), io.Discard), 1)
	for range Window / MaxPayload {
		if err := s.Deliver(Message{Type: Data, Body: make([]byte, MaxPayload)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Deliver(Message{Type: Data, Body: []byte("x")}); err == nil {
		t.Error("more than a window was taken")
	}
	if err := s.Deliver(Message{Type: Credit, Head: []byte("1")}); err == nil {
		t.Error("credit beyond a window was taken")
	}
	broken := errors.New("broken")
	s.Break(broken)
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, broken) {
		t.Errorf("a broken stream: %v", err)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(frames(f, []byte("a"), []byte("{}")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		fr := NewFrameReader(bytes.NewReader(raw))
		var again bytes.Buffer
		w := NewFrameWriter(&again)
		for {
			frame, err := fr.Read()
			if err != nil {
				break
			}
			if err := w.Write(frame.Type, frame.Payload); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(raw, again.Bytes()) {
			t.Error("frames that were read are written otherwise")
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 2, '{', '}', 'x'})
	f.Add([]byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ParseMessage(Frame{Type: Call, Payload: raw})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := NewConn(nil, &b).Send(m); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes()[headerSize:], raw) {
			t.Error("a message that was read is written otherwise")
		}
		var r Request
		_ = m.Decode(&r) // whatever it is, it does not panic
	})
}

func FuzzReading(f *testing.F) {
	r := HostReading{Extra: map[string]float64{"a": 1}}
	f.Add(r.Append(nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseReading(raw)
		if err != nil {
			return
		}
		if _, err := ParseReading(r.Append(nil)); err != nil {
			t.Error(err)
		}
	})
}

func FuzzPreamble(f *testing.F) {
	f.Add("MPF1 token - 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPreamble(strings.NewReader(text), "token")
		if err == nil && (p.Token != "token" || p.Protocol != Protocol) {
			t.Errorf("took %+v", p)
		}
	})
}
