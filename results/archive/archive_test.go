package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
)

func campaign(t *testing.T) fsys.FS {
	t.Helper()
	tree := fsystest.NewMemory()
	if err := fsys.MakeDir(tree, fsys.TempDir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"runs.parquet": "PAR1", "manifest.json": "{}", "journal/00000001.jsonl": "{}\n", "inputs/x.star": "", "LOCK": "1", "reserve": "xxxx",
		"runs/0123/1/stdout": strings.Repeat("hello\n", 1000), "runs/0123/1/" + strings.Repeat("long", 40): "x", "tmp/half": "x",
	} {
		if err := fsys.MakeDir(tree, filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
		if err := fsys.WriteFile(tree, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func description() Description {
	return Description{Experiment: "iperf over <tcp>", Text: "Goodput", Date: time.Unix(1_795_000_000, 0), MPF: "v1", License: "https://spdx.org/licenses/CC-BY-4.0", Authors: []string{"A. Author"}}
}

func TestArchivesAreTheSameEachTimeAndComeBack(t *testing.T) {
	for _, format := range []Format{TarZstd, Zip} {
		var a, b bytes.Buffer
		entries, err := Write(&a, campaign(t), format, description())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Write(&b, campaign(t), format, description()); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: not the same twice, %v", format, err)
		}
		name := filepath.Join(t.TempDir(), "x."+string(format))
		if err := os.WriteFile(name, a.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		checked, err := Check(name)
		if err != nil || len(checked) != len(entries) || len(checked) != 7 {
			t.Errorf("%s: %d of %d files, %v", format, len(checked), len(entries), err)
		}
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := Extract(name, dir); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "runs/0123/1/stdout")); err != nil || len(data) != 6000 {
			t.Errorf("%s: %d bytes, %v", format, len(data), err)
		}
		if _, err := os.Stat(filepath.Join(dir, "LOCK")); err == nil {
			t.Errorf("%s: the lock was packed", format)
		}
	}
}

func TestTheCrateDescribesWhatIsThere(t *testing.T) {
	entries, err := list(campaign(t), ".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := description().crate(entries)
	if err != nil {
		t.Fatal(err)
	}
	var crate struct {
		Graph []map[string]any `json:"@graph"`
	}
	if err := json.Unmarshal(text, &crate); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, e := range crate.Graph {
		ids[e["@id"].(string)] = true
	}
	for _, id := range []string{crateName, "./", "runs.parquet", "runs/", "journal/00000001.jsonl", "#mpf", "#A. Author"} {
		if !ids[id] {
			t.Errorf("no entity %q", id)
		}
	}
	if ids["runs/0123/1/stdout"] {
		t.Error("every file of every run is listed")
	}
}

func TestDamagedArchivesAreRefused(t *testing.T) {
	for _, format := range []Format{TarZstd, Zip} {
		var out bytes.Buffer
		if _, err := Write(&out, campaign(t), format, description()); err != nil {
			t.Fatal(err)
		}
		whole := out.Bytes()
		dir := t.TempDir()
		for at := 40; at < len(whole)-200; at += 101 {
			bent := bytes.Clone(whole)
			bent[at] ^= 0x10
			name := filepath.Join(dir, "x."+string(format))
			if err := os.WriteFile(name, bent, 0o600); err != nil {
				t.Fatal(err)
			}
			if entries, err := Check(name); err == nil && len(entries) != 7 {
				t.Errorf("%s: byte %d flipped: %d files", format, at, len(entries))
			}
		}
		name := filepath.Join(dir, "cut."+string(format))
		if err := os.WriteFile(name, whole[:len(whole)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, "out")
		if _, err := Extract(name, target); err == nil {
			t.Errorf("%s: half an archive was unpacked", format)
		}
		if _, err := os.Stat(target); err == nil {
			t.Errorf("%s: half a directory was left", format)
		}
	}
}

func TestNothingLeavesTheDirectory(t *testing.T) {
	for _, evil := range []string{"../x", "a/../../x", "/etc/x", "a/./b", "x"} {
		var out bytes.Buffer
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(z)
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: evil, Size: 1, Mode: 0o644})
		w.Write([]byte("x"))
		w.Close()
		z.Close()
		name := filepath.Join(t.TempDir(), "x.tar.zst")
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Extract(name, filepath.Join(t.TempDir(), "out")); err == nil {
			t.Errorf("%q was unpacked", evil)
		}
	}
	if _, err := FormatOf("x.rar"); err == nil {
		t.Error("x.rar has a format")
	}
}
