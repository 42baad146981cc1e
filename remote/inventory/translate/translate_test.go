package translate

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mpf/engine"
	"mpf/remote/inventory"
)

// Each pair of testdata/files.txtar is an old file and what it becomes.
func TestTranslations(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/files.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		old, want := archive.Files[i], string(archive.Files[i+1].Data)
		t.Run(old.Name, func(t *testing.T) {
			text, notes, err := Translate(old.Name, old.Data)
			if err != nil {
				t.Fatal(err)
			}
			if text != want {
				t.Errorf("got:\n%s\nwant:\n%s", text, want)
			}
			for _, note := range notes {
				if !strings.Contains(text, "# "+note+"\n") {
					t.Errorf("%q is not said in the file", note)
				}
			}
			if _, err := inventory.Parse(old.Name, []byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsNoOldFileIsRefused(t *testing.T) {
	for _, text := range []string{"", "hosts: {a: {ssh: b}}", "machines: 3", "machines: [{role: {a: b}, hostname: c}]", "a: b: c", "machines: [{user: x}]"} {
		_, _, err := Translate("old.yaml", []byte(text))
		if mistakes := (engine.Mistakes)(nil); !errors.As(err, &mistakes) {
			t.Errorf("%q: got %v, want mistakes", text, err)
		}
	}
}

func FuzzTranslate(f *testing.F) {
	if data, err := os.ReadFile("testdata/files.txtar"); err == nil {
		for _, file := range txtar.Parse(data).Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		text, _, err := Translate("old.yaml", source)
		if err != nil {
			return
		}
		if _, err := inventory.Parse("new.yaml", []byte(text)); err != nil {
			t.Errorf("%q becomes %q: %v", source, text, err)
		}
	})
}
