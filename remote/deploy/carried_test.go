package deploy_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/deploy"
)

func stage(t *testing.T, d *deploy.Deployer, all ...engine.Deployment) []deploy.Carried {
	t.Helper()
	d.Experiment.Deployments = all
	carried, err := d.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return carried
}

// What a record carries is deployed as the folder was, down to the key of its
// build.
func TestAFolderIsDeployedFromWhatWasCarried(t *testing.T) {
	h := []engine.Host{local(t)}
	base := tree(t, map[string]string{"src/sub/run": "#!/bin/sh\necho ran\n", "src/data": "one", "src/mpf-out/x": "y", "src/other/plan/0001.json": "{}"})
	if err := errors.Join(os.Chmod(base+"/src/data", 0o600), os.Symlink("sub/run", base+"/src/link")); err != nil {
		t.Fatal(err)
	}
	x := engine.Deployment{Source: "src", Build: []string{"./link >made; ls >files"}}
	first := deployer(t, base)
	carried := stage(t, first, x, x)
	if len(carried) != 1 {
		t.Fatalf("%d sources were carried", len(carried))
	}
	was := must(t, first, x, h)
	if got := content(t, was.Dir+"/files"); strings.Contains(got, "mpf-out") || strings.Contains(got, "other") {
		t.Errorf("campaigns were deployed: %q", got)
	}
	elsewhere := deployer(t, t.TempDir())
	elsewhere.Carried = carried
	if got := must(t, elsewhere, x, h); got.Dir != was.Dir || got.Rebuilt || got.Revision != was.Revision || got.SHA256 != carried[0].SHA256 {
		t.Errorf("from what was carried: %+v, from the folder: %+v", got, was)
	}
	if again := stage(t, deployer(t, base), x); !bytes.Equal(again[0].Archive, carried[0].Archive) {
		t.Error("an equal folder has another archive")
	}
	changed := deployer(t, base)
	changed.Carried = []deploy.Carried{{Source: "src", SHA256: strings.Repeat("0", 64), Archive: carried[0].Archive}}
	if _, err := changed.Deploy(t.Context(), x, h, nil); err == nil || !strings.Contains(err.Error(), "it is not what was kept") {
		t.Errorf("an archive with another content: %v", err)
	}
	none := deployer(t, t.TempDir())
	none.Carried = []deploy.Carried{{Source: "src", SHA256: carried[0].SHA256}}
	var missing *deploy.NotCarriedError
	if _, err := none.Deploy(t.Context(), x, h, nil); !errors.As(err, &missing) {
		t.Errorf("a folder that was not carried: %v", err)
	}
}

func TestACarriedCommitIsDeployedAfterItsBranchWentOn(t *testing.T) {
	enginetest.Need(t, "git")
	h := []engine.Host{local(t)}
	origin := tree(t, map[string]string{"main": "one"})
	git(t, origin, "init", "-q")
	git(t, origin, "add", ".")
	git(t, origin, "commit", "-qm", "one")
	one := git(t, origin, "rev-parse", "HEAD")
	x := engine.Deployment{Source: "file://" + origin}
	carried := stage(t, deployer(t, origin), x)
	if len(carried) != 1 || carried[0].Commit != one || carried[0].Archive != nil {
		t.Fatalf("carried %+v", carried)
	}
	change(t, origin, map[string]string{"main": "two"})
	git(t, origin, "commit", "-qam", "two")
	d := deployer(t, t.TempDir())
	d.Carried = carried
	if got := must(t, d, x, h); got.Revision != one || content(t, got.Dir+"/main") != "one" {
		t.Errorf("got %+v, want commit %s", got, one)
	}
	if got := stage(t, deployer(t, origin), x); got[0].Commit == one || got[0].SHA256 == carried[0].SHA256 {
		t.Errorf("what the branch names now: %+v", got)
	}
}

// An archive comes from others: it writes below its folder only.
func TestHostileArchives(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"a name that leads out": {{Name: "../evil", Typeflag: tar.TypeReg}},
		"a link that leads out": {{Name: "l", Linkname: "..", Typeflag: tar.TypeSymlink}, {Name: "l/evil", Typeflag: tar.TypeReg}},
		"an absolute name":      {{Name: "/tmp/mpf-evil", Typeflag: tar.TypeReg}},
		"a device":              {{Name: "d", Typeflag: tar.TypeChar}},
	} {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		w := tar.NewWriter(zip)
		for _, h := range headers {
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), zip.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		c := deploy.Carried{Archive: b.Bytes()}
		if err := c.Unpack(filepath.Join(dir, "folder")); err == nil {
			t.Errorf("%s: was unpacked", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, "evil")); err == nil {
			t.Errorf("%s: a file was written outside", name)
		}
	}
}
