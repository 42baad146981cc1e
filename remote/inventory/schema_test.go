package inventory

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("cluster.schema.json", document); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("cluster.schema.json")
}

func validate(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		return err
	}
	return schema.Validate(value)
}

func TestSchemaTakesWhatIsRead(t *testing.T) {
	schema := compileSchema(t)
	for _, name := range []string{"testdata/two.yaml", "testdata/full.yaml"} {
		c, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, c.Source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Dangling names, and what programs take, are beyond a schema; files wrong in nothing else are called
// names-*.
func TestSchemaRefusesWhatIsWrongInForm(t *testing.T) {
	schema := compileSchema(t)
	archive, err := txtar.ParseFile("testdata/mistakes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".err") || strings.HasPrefix(file.Name, "names-") {
			continue
		}
		if err := validate(t, schema, file.Data); err == nil {
			t.Errorf("%s: the schema takes it", file.Name)
		}
	}
}
