package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// A ban says which packages a package must not import, and why.
type ban struct {
	from   string // the package and those below it
	to     string // likewise
	but    string // a package below from that the ban leaves out, or empty
	reason string
}

var bans = []ban{
	{"mpf/engine", "mpf/starlib", "", "the engine is below the language"},
	{"mpf/engine", "mpf/remote", "", "the engine declares what it needs of hosts"},
	{"mpf/engine", "mpf/results", "", "the engine declares what it needs of a record"},
	{"mpf/starlib", "mpf/remote", "", "scripts reach hosts through engine.Workspace"},
	{"mpf/starlib", "mpf/results", "", "scripts return results, the engine records them"},
	{"mpf/remote", "mpf/starlib", "", "hosts know no language"},
	{"mpf/remote", "mpf/results", "", "hosts know no format"},
	{"mpf/results", "mpf/starlib", "", "the record knows no language"},
	{"mpf/results", "mpf/remote", "", "the record knows no hosts"},
	{"mpf/remote/wire", "mpf/engine", "", "the agent must stay small"},
	{"mpf/results/fsys", "mpf/engine", "", "storage knows no experiment"},
	{"mpf", "go.starlark.net", "mpf/starlib", "one door to the library"},
	{"mpf", "github.com/bazelbuild/buildtools", "mpf/starlib/format", "one door to the library"},
	{"mpf", "github.com/apache/arrow", "mpf/results/parquet", "v15 gets no more fixes: it must be replaceable in one place"},
	{"mpf", "github.com/shirou/gopsutil", "mpf/remote/sample", "v3 is frozen: it must be replaceable in one place"},
	{"mpf", "golang.org/x/crypto", "mpf/remote", "one door to the library"},
	{"mpf", "golang.org/x/text", "mpf/results/grid", "one door to the library"},
	{"mpf", "github.com/pkg/sftp", "mpf/remote", "one door to the library"},
	{"mpf", "github.com/hanwen/go-fuse", "mpf/results/fsys/lazyfs", "one door to the library"},
	{"mpf", "mpf/results/fsys/lazyfs", "mpf/results/fsys/lazyfs", "it is for tests alone"},
}

// engineMayImport is what lies outside the standard library and yet may be
// imported by the engine: nothing but itself.
const engineMayImport = "mpf/engine"

type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

func TestImportArrows(t *testing.T) {
	packages := listPackages(t)
	standard := map[string]bool{}
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	for _, p := range packages {
		if !under(p.ImportPath, "mpf") {
			continue
		}
		for _, to := range p.Imports {
			for _, b := range bans {
				if under(p.ImportPath, b.from) && under(to, b.to) && (b.but == "" || !under(p.ImportPath, b.but)) {
					t.Errorf("%s imports %s: %s", p.ImportPath, to, b.reason)
				}
			}
			if under(p.ImportPath, "mpf/engine") && !standard[to] && !under(to, engineMayImport) {
				t.Errorf("%s imports %s: the engine lives on the standard library", p.ImportPath, to)
			}
		}
	}
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "mpf/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func under(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
