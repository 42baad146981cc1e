package inventory

import (
	"flag"
	"os"
	"strings"
	"testing"

	"mpf/engine"
)

var update = flag.Bool("update", false, "write docs/cluster.md")

// The document is kept beside the others as well.
func TestDocumentIsInDocs(t *testing.T) {
	const path = "../../docs/cluster.md"
	if *update {
		if err := os.WriteFile(path, []byte(Document), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != Document {
		t.Errorf("docs/cluster.md is another one (%v): go test ./remote/inventory -run Document -update", err)
	}
}

// What the document shows can be read, and is in the schema.
func TestExamplesOfTheDocument(t *testing.T) {
	schema := compileSchema(t)
	blocks := strings.Split(Document, "```yaml\n")[1:]
	if len(blocks) != 3 {
		t.Errorf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		c, err := Parse("c.yaml", []byte(text))
		if err != nil {
			t.Errorf("%v in\n%s", err, text)
			continue
		}
		if err := validate(t, schema, []byte(text)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		e := &engine.Experiment{Roles: []engine.Role{{Name: "server"}, {Name: "client"}}}
		if len(c.Groups) > 0 {
			continue // not every group has a host of every role
		}
		if _, err := c.Place(e); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

func TestDocumentNamesEverySetting(t *testing.T) {
	for _, k := range knobs {
		if !strings.Contains(Document, "`"+k.name+"`") {
			t.Errorf("setting %s is not in the document", k.name)
		}
		if !strings.Contains(Schema, `"`+k.name+`"`) {
			t.Errorf("setting %s is not in the schema", k.name)
		}
	}
}
