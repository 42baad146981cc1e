package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
)

// clock stands still.
func clock() time.Time { return time.Unix(1800000000, 0).UTC() }

func openTest(t testing.TB, tree fsys.FS) *Journal {
	t.Helper()
	j, err := Open(tree, Config{MPF: "test", Durability: "strict", Now: clock})
	must(t, err)
	return j
}

func newTree(t testing.TB) *fsystest.Memory {
	t.Helper()
	tree := fsystest.NewMemory()
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	return tree
}

// testJournal makes a journal of some invocations, each of some runs and of one
// frame an event, and returns its tree.
func testJournal(t testing.TB, invocations, runs int, clean bool) *fsystest.Memory {
	tree := newTree(t)
	for i := range invocations {
		j := openTest(t, tree)
		if i == 0 {
			must(t, j.Commit(&Planned{Plan: 1, File: "plan/0001.json"}))
		}
		for r := range runs {
			s := benchStart(uint64(i*runs + r))
			must(t, j.Commit(s))
			must(t, j.Commit(benchEnd(s, 2)))
		}
		if clean {
			must(t, j.Commit(&Closed{Wall: clock()}))
		}
		must(t, j.Close())
	}
	return tree
}

func read(t testing.TB, tree fsys.FS, name string) []byte {
	t.Helper()
	data, err := fsys.ReadFile(tree, name, 1<<30)
	must(t, err)
	return data
}

func overwrite(t testing.TB, tree fsys.FS, name string, data []byte) {
	t.Helper()
	f, err := tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	must(t, err)
	_, err = f.Write(data)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
}

// frames returns the offsets at which the frames of a segment end.
func frames(t testing.TB, b []byte) []int {
	t.Helper()
	var ends []int
	for at := 0; at < len(b); {
		f, err := parseFrame(b[at:])
		must(t, err)
		at += f.size
		ends = append(ends, at)
	}
	return ends
}

// wholeFrames counts the frames that end at or before a cut.
func wholeFrames(ends []int, cut int) int {
	n, _ := slices.BinarySearch(ends, cut+1)
	return n
}

// TestCutLastSegment cuts the last segment at every byte: what comes back is
// exactly the frames before the cut.
func TestCutLastSegment(t *testing.T) {
	for _, clean := range []bool{true, false} {
		tree := testJournal(t, 2, 2, clean)
		name := segmentName(2)
		whole := read(t, tree, name)
		ends := frames(t, whole)
		before := len(frames(t, read(t, tree, segmentName(1))))
		for cut := range len(whole) + 1 {
			tree := tree.Kill()
			overwrite(t, tree, name, whole[:cut])
			j := openTest(t, tree)
			if got, want := int(j.Summary().N), before+wholeFrames(ends, cut); got != want {
				t.Fatalf("cut at %d: %d frames, want %d", cut, got, want)
			}
			must(t, j.Commit(&Decided{}))
			must(t, j.Close())
			reopened, err := Read(tree)
			must(t, err)
			if got := len(reopened.Summary().Decisions); got != 1 {
				t.Fatalf("cut at %d: %d decisions after going on", cut, got)
			}
			kept := ends[:wholeFrames(ends, cut)]
			checkTorn(t, tree, name, whole[:cut], append([]int{0}, kept...))
		}
	}
}

// checkTorn wants the bytes after the last whole frame kept aside.
func checkTorn(t *testing.T, tree fsys.FS, name string, cut []byte, ends []int) {
	t.Helper()
	good := ends[len(ends)-1]
	if got := read(t, tree, name); !bytes.Equal(got, cut[:good]) {
		t.Fatalf("cut at %d: the segment has %d bytes, want %d", len(cut), len(got), good)
	}
	if good < len(cut) {
		if got := read(t, tree, name+".torn-1"); !bytes.Equal(got, cut[good:]) {
			t.Fatalf("cut at %d: the torn bytes are not kept", len(cut))
		}
	}
}

func TestCutEarlierSegmentIsRefused(t *testing.T) {
	tree := testJournal(t, 2, 2, true)
	name := segmentName(1)
	whole := read(t, tree, name)
	for cut := range len(whole) {
		overwrite(t, tree, name, whole[:cut])
		refused(t, tree, fmt.Sprintf("cut at %d", cut))
	}
}

// refused wants a Damage.
func refused(t *testing.T, tree fsys.FS, what string) *Damage {
	t.Helper()
	_, err := Open(tree, Config{Now: clock})
	var damage *Damage
	if !errors.As(err, &damage) || strings.Contains(damage.What, "%!") {
		t.Fatalf("%s: %v", what, err)
	}
	return damage
}

// TestFlippedBits flips every bit of the last two frames and some of earlier
// ones.
func TestFlippedBits(t *testing.T) {
	tree := testJournal(t, 2, 2, true)
	name := segmentName(2)
	whole := read(t, tree, name)
	ends := frames(t, whole)
	last, before := ends[len(ends)-2], ends[len(ends)-3]
	first := read(t, tree, segmentName(1))
	earlier := len(frames(t, first))
	const most = 8 << 20 // bytes that opening such a journal may take
	taken := allocated()
	for bit := before * 8; bit < len(whole)*8; bit++ {
		flipped := bytes.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		tree := tree.Kill()
		overwrite(t, tree, name, flipped)
		if now := allocated(); now-taken > most {
			t.Fatalf("before bit %d: %d bytes taken", bit, now-taken)
		}
		taken = allocated()
		if bit/8 >= last {
			j := openTest(t, tree)
			if got, want := int(j.Summary().N), earlier+len(ends)-1; got != want {
				t.Fatalf("bit %d of the last frame: %d frames, want %d", bit, got, want)
			}
			must(t, j.Close())
			continue
		}
		damage := refused(t, tree, fmt.Sprintf("bit %d", bit))
		if damage.File != name || damage.Offset != int64(before) {
			t.Fatalf("bit %d: %v, want offset %d", bit, damage, before)
		}
	}
	for bit := 0; bit < len(first)*8; bit += 67 {
		flipped := bytes.Clone(first)
		flipped[bit/8] ^= 1 << (bit % 8)
		tree := tree.Kill()
		overwrite(t, tree, segmentName(1), flipped)
		if damage := refused(t, tree, fmt.Sprintf("bit %d of an earlier segment", bit)); damage.File != segmentName(1) {
			t.Fatalf("bit %d: %v", bit, damage)
		}
	}
}

// allocated returns how many bytes were taken from the heap so far.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// TestMovedFrames repeats, removes, swaps and adds frames.
func TestMovedFrames(t *testing.T) {
	tree := testJournal(t, 2, 2, true)
	name := segmentName(2)
	whole := read(t, tree, name)
	ends := append([]int{0}, frames(t, whole)...)
	frame := func(i int) []byte { return whole[ends[i]:ends[i+1]] }
	count := len(ends) - 1
	earlier := len(frames(t, read(t, tree, segmentName(1))))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	foreign := read(t, testJournal(t, 1, 3, true), segmentName(1))
	cases := map[string][]byte{
		"repeated":             join(whole, frame(count-1)),
		"repeated inside":      join(whole[:ends[3]], whole[ends[2]:]),
		"removed inside":       join(whole[:ends[2]], whole[ends[3]:]),
		"swapped":              join(whole[:ends[2]], frame(3), frame(2), whole[ends[4]:]),
		"spliced":              join(whole[:ends[2]], foreign),
		"first removed":        whole[ends[1]:],
		"zeros of many frames": join(whole, make([]byte, MaxFrame+maxHeader+1)),
		"zeros inside":         join(whole[:ends[2]], make([]byte, 50), whole[ends[2]:]),
	}
	for what, b := range cases {
		tree := tree.Kill()
		overwrite(t, tree, name, b)
		refused(t, tree, what)
	}
	for what, b := range map[string][]byte{
		"last removed": whole[:ends[count-1]],
		"zeros":        join(whole[:ends[count-1]], make([]byte, 4096)),
		"half a frame": join(whole[:ends[count-1]], frame(count - 1)[:20]),
	} {
		tree := tree.Kill()
		overwrite(t, tree, name, b)
		j := openTest(t, tree)
		if got, want := int(j.Summary().N), earlier+count-1; got != want {
			t.Errorf("%s: %d frames, want %d", what, got, want)
		}
		must(t, j.Close())
	}
}

func TestMissingSegmentIsRefused(t *testing.T) {
	tree := testJournal(t, 3, 1, true)
	must(t, tree.Remove(segmentName(2)))
	if damage := refused(t, tree, "a segment is missing"); damage.File != segmentName(2) {
		t.Error(damage)
	}
}

// TestBrokenRules writes events that no journal holds, under right checksums.
func TestBrokenRules(t *testing.T) {
	plan := &Planned{Plan: 1}
	s := benchStart(1)
	done := benchEnd(s, 1)
	other := *done
	other.Nonce = "another"
	second := *s
	second.Start.Attempt = 2
	failed := *done
	failed.Done.Status = engine.Failed
	third := *s
	third.Start.Attempt = 3
	for want, events := range map[string][]Event{
		"DONE of run ":            {plan, done},
		"which is not open":       {plan, s, done, done},
		"a nonce that is not its": {plan, s, &other},
		"which is done":           {plan, s, done, &second},
		"whose attempt 1 is open": {plan, s, &second},
		"attempt 3 of run ":       {plan, s, &failed, &third},
		"under plan 1 of 0":       {s},
		"plan 1 after plan 1":     {plan, plan},
		"after CLOSE":             {plan, &Closed{}, s},
		"never started":           {plan, &Fenced{Run: s.Start.Run.ID, Attempt: 1}},
		"unknown status":          {plan, s, &Ended{Run: s.Start.Run.ID, Attempt: 1, Nonce: s.Start.Nonce}},
		"where a segment begins":  {plan, &Opened{Format: Format}},
	} {
		tree := newTree(t)
		must(t, fsys.MakeDir(tree, Dir))
		overwrite(t, tree, segmentName(1), segmentWith(t, events))
		if damage := refused(t, tree, want); !strings.Contains(damage.What, want) {
			t.Errorf("%q: %v", want, damage)
		}
	}
}

// segmentWith makes a segment of one frame an event.
func segmentWith(t testing.TB, events []Event) []byte {
	t.Helper()
	var b []byte
	var crc uint32
	for i, event := range append([]Event{&Opened{Format: Format}}, events...) {
		text, err := appendEvents(nil, []Event{event})
		must(t, err)
		b, crc, _ = appendFrame(b, uint64(i+1), crc, text)
	}
	return b
}

func TestUnknownEventIsRefused(t *testing.T) {
	tree := newTree(t)
	must(t, fsys.MakeDir(tree, Dir))
	b, _, _ := appendFrame(nil, 1, 0, []byte(`[{"event":"WISH"}]`))
	overwrite(t, tree, segmentName(1), b)
	if damage := refused(t, tree, "unknown event"); !strings.Contains(damage.What, `unknown event "WISH"`) {
		t.Error(damage)
	}
}

func TestRulesHoldForWritersToo(t *testing.T) {
	j := openTest(t, newTree(t))
	must(t, j.Commit(&Planned{Plan: 1}))
	if err := j.Commit(benchEnd(benchStart(1), 1)); err == nil || !strings.Contains(err.Error(), "which is not open") {
		t.Errorf("DONE without START: %v", err)
	}
	must(t, j.Commit(benchStart(1)))
	must(t, j.Close())
	if err := j.Commit(&Decided{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestFailedSyncEndsAllWriting(t *testing.T) {
	for k := 1; ; k++ {
		tree := newTree(t)
		faults := fsystest.NewFaults(tree, fsystest.Fault{At: k, Err: io.ErrUnexpectedEOF})
		j, err := Open(faults, Config{Now: clock})
		if err != nil {
			continue
		}
		err = j.Commit(&Planned{Plan: 1})
		closeErr := j.Close()
		if !faults.Hit() {
			break
		}
		if err == nil && closeErr == nil { // then it did no harm
			after, err := Read(tree)
			must(t, err)
			if len(after.Summary().Plans) != 1 {
				t.Errorf("operation %d failed and nobody was told", k)
			}
		}
		if err != nil {
			if again := j.Commit(&Decided{}); again == nil {
				t.Errorf("operation %d: written on after %v", k, err)
			}
		}
	}
}

// TestIndexesSayWhatSegmentsSay opens a journal of several full segments by
// its indexes and by its frames.
func TestIndexesSayWhatSegmentsSay(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.OpenDir(dir)
	must(t, err)
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	j, err := Open(fsys.Unsynced(tree), Config{Now: clock})
	must(t, err)
	must(t, j.Commit(&Planned{Plan: 1}))
	const runs = 4_000
	for i := range uint64(runs) {
		s := benchStart(i)
		must(t, j.Commit(s))
		if i%1000 != 7 { // the others stay open
			must(t, j.Commit(benchEnd(s, 200)))
		}
	}
	must(t, j.Close())
	byIndex := load(t, tree)
	if len(byIndex.segments) < 2 {
		t.Fatalf("%d segments are too few for this test", len(byIndex.segments))
	}
	for number := range len(byIndex.segments) {
		_ = tree.Remove(indexName(number + 1)) // the last may have none
	}
	byFrames := load(t, tree)
	checkSealed(t, tree, byIndex.segments)
	if a, b := fmt.Sprint(byIndex.segments), fmt.Sprint(byFrames.segments); a != b {
		t.Errorf("segments by index %.300s\nby frames %.300s", a, b)
	}
	sameStates(t, byIndex.state, byFrames.state, runs)
	checkWalks(t, tree, runs-runs/1000)
}

// checkSealed compares what only an index says of a segment with its bytes, and
// takes it out.
func checkSealed(t *testing.T, tree fsys.FS, segments []segment) {
	t.Helper()
	for i := range segments {
		seg := &segments[i]
		sum := sha256.Sum256(read(t, tree, seg.name()))
		if sealed := seg.sha256 != ""; !sealed && i < len(segments)-1 || sealed && seg.sha256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is known by another hash, %q", seg.name(), seg.sha256)
		}
		seg.sha256, seg.left = "", 0
	}
}

// sameStates compares what indexes say of some runs, of which every thousandth is
// open, with what frames say.
func sameStates(t *testing.T, byIndex, byFrames *state, runs int64) {
	t.Helper()
	for i := range uint64(runs) {
		run := benchStart(i).Start.Run.ID
		if a, b := byIndex.rows.get(run), byFrames.rows.get(run); a != b {
			t.Fatalf("run %d by index %+v, by frames %+v", i, a, b)
		}
		if a, b := byIndex.open[run], byFrames.open[run]; (a == nil) != (b == nil) {
			t.Fatalf("run %d is open in one of the two", i)
		}
	}
	if a, b := byIndex.counts, byFrames.counts; a != b || a[0] != runs-runs/1000 {
		t.Errorf("rows by status: by index %v, by frames %v", a, b)
	}
	a, b := byIndex.over[1].places().Ranges(), byFrames.over[1].places().Ranges()
	if !slices.Equal(a, b) || int64(len(a)) != runs/1000+1 || a[1] != (engine.PlaceRange{First: 8, End: 1007}) {
		t.Errorf("places that are over: by index %v, by frames %v", a, b)
	}
}

func load(t *testing.T, tree fsys.FS) *loader {
	t.Helper()
	l := &loader{tree: tree}
	must(t, l.load())
	return l
}

// checkWalks reads attempts from the first on and from the middle on, and rows.
func checkWalks(t *testing.T, tree fsys.FS, attempts int64) {
	t.Helper()
	j, err := Read(tree)
	must(t, err)
	for _, leave := range []int64{0, attempts / 2, attempts - 1, attempts} {
		next := leave
		for a, err := range j.Attempts(leave) {
			must(t, err)
			if next++; a.Sequence != next || a.Started.Start.Run.ID != a.Ended.Run {
				t.Fatalf("attempt %d where %d belongs", a.Sequence, next)
			}
			if next%100 == 0 {
				row, err := j.Row(a.Ended.Run)
				must(t, err)
				if fmt.Sprint(row) != fmt.Sprint(a.Ended) {
					t.Fatalf("row %v, walked %v", row, a.Ended)
				}
			}
		}
		if next != attempts {
			t.Errorf("from %d on: ended at %d of %d", leave, next, attempts)
		}
	}
}

func TestStaleIndexIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.OpenDir(dir)
	must(t, err)
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	j := openTest(t, fsys.Unsynced(tree))
	must(t, j.Commit(&Planned{Plan: 1}))
	for i := range uint64(200) {
		s := benchStart(i)
		must(t, j.Commit(s))
		must(t, j.Commit(benchEnd(s, 2)))
	}
	must(t, j.Commit(&Closed{}))
	must(t, j.Close())
	if _, ok := readIndex(tree, 1, Tail{}); !ok {
		t.Fatal("no index was made")
	}
	b := read(t, tree, segmentName(1))
	b[len(b)/2] ^= 1
	overwrite(t, tree, segmentName(1), b)
	must(t, os.Chtimes(dir+"/"+segmentName(1), time.Time{}, time.Now().Add(time.Hour)))
	refused(t, tree, "a damaged segment with an index of its former self")
}

// Whoever dies again before it has written anything finds the last segment as it
// was left, with the index that recovery made of it, whatever else it has to read.
func TestDyingAgainBeforeTheFirstCommit(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.OpenDir(dir)
	must(t, err)
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	begin := func(from, runs uint64) *Journal {
		j := openTest(t, fsys.Unsynced(tree))
		if from == 0 {
			must(t, j.Commit(&Planned{Plan: 1}))
		}
		for i := range runs {
			s := benchStart(from + i)
			must(t, j.Commit(s))
			must(t, j.Commit(benchEnd(s, 2)))
		}
		return j
	}
	j := begin(0, 300)
	must(t, j.Commit(&Closed{}))
	must(t, j.Close())
	begin(300, 200) // and dies
	left := read(t, tree, segmentName(2))
	for range 3 {
		j := openTest(t, tree)
		if n := j.Count()[engine.OK]; n != 500 || !bytes.Equal(read(t, tree, segmentName(2)), left) {
			t.Fatalf("%d rows are left, and another segment", n)
		}
		must(t, os.Chtimes(dir+"/"+segmentName(1), time.Time{}, time.Now())) // its index is stale
	}
	checkWalks(t, tree, 500)
}

func TestRepairKeepsWhatPrecedesTheDamage(t *testing.T) {
	tree := testJournal(t, 3, 2, true)
	if loss, err := Repair(tree); loss != nil || err != nil {
		t.Fatalf("repair of a whole journal: %v, %v", loss, err)
	}
	name := segmentName(2)
	b := read(t, tree, name)
	ends := frames(t, b)
	b[ends[2]+100] ^= 1 // in the START of the second run, after the DONE of the first
	overwrite(t, tree, name, b)
	refused(t, tree, "damaged")
	loss, err := Repair(tree)
	must(t, err)
	if loss.Damage.File != name || loss.Damage.Offset != int64(ends[2]) || len(loss.Aside) != 2 {
		t.Errorf("loss: %+v", loss)
	}
	var want []engine.RunID
	for i := uint64(3); i < 6; i++ {
		want = append(want, benchStart(i).Start.Run.ID)
	}
	if !slices.Equal(loss.Runs, want) {
		t.Errorf("lost runs %v, want %v", loss.Runs, want)
	}
	if got := read(t, tree, name+".damaged-1"); !bytes.Equal(got, b) {
		t.Error("the damaged file was not kept as it was")
	}
	j := openTest(t, tree)
	must(t, j.Commit(benchStart(3)))
	must(t, j.Close())
	if got := j.State(benchStart(2).Start.Run.ID).Status; got != engine.OK {
		t.Errorf("the row before the damage has status %q", got)
	}
}

func TestEndlessSegmentIsRefused(t *testing.T) {
	tree := testJournal(t, 2, 1, true)
	whole := read(t, tree, segmentName(2))
	overwrite(t, tree, segmentName(2), append(whole, make([]byte, 64<<20)...))
	if damage := refused(t, tree, "endless"); damage.Offset != int64(len(whole)) {
		t.Error(damage)
	}
}

func TestRepairOfAMissingSegment(t *testing.T) {
	tree := testJournal(t, 3, 1, true)
	must(t, tree.Remove(segmentName(2)))
	loss, err := Repair(tree)
	must(t, err)
	if want := []engine.RunID{benchStart(2).Start.Run.ID}; !slices.Equal(loss.Runs, want) {
		t.Errorf("lost %v", loss.Runs)
	}
	must(t, openTest(t, tree).Close())
}
