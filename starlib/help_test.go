package starlib

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"mpf/starlib/code"
	"mpf/starlib/declare"
)

var update = flag.Bool("update", false, "write the golden files")

const referenceFile = "../docs/language.md"

func TestTheLanguageReferenceEqualsTheHelp(t *testing.T) {
	var b bytes.Buffer
	if err := Help(&b, "language"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(referenceFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(golden, b.Bytes()) {
		t.Errorf("%s is not what mpf help language prints: go test ./starlib -run Reference -update", referenceFile)
	}
}

func TestEveryBuiltinAnswersTheFourQuestions(t *testing.T) {
	for _, c := range chapters() {
		for _, doc := range c.docs {
			if doc.Text == "" || !strings.HasSuffix(doc.Text, ".") || doc.When == "" {
				t.Errorf("%s: text or when is missing", doc.Name())
			}
			if strings.Contains(doc.Signature, "(") && (doc.Checks == "" || doc.Error == "") {
				t.Errorf("%s: checks or error is missing", doc.Name())
			}
		}
	}
}

func TestSignaturesAreInScriptSyntax(t *testing.T) {
	for _, c := range chapters() {
		for _, doc := range c.docs {
			_, params, isCall := strings.Cut(doc.Signature, "(")
			if !isCall {
				continue
			}
			src := "def f(" + params + ":\n  pass\n"
			if _, err := code.Dialect().Parse(doc.Name(), src, 0); err != nil {
				t.Errorf("%s: %v", doc.Signature, err)
			}
		}
	}
}

// Every parameter that a signature names is one that the builtin takes.
func TestSignaturesNameTheParametersThatBuiltinsTake(t *testing.T) {
	for _, b := range declare.Docs() {
		if strings.HasPrefix(b.Name(), "role.") {
			continue
		}
		for _, p := range paramsOf(t, b.Signature) {
			_, err := loadText(t, b.Name()+"("+p+" = None)\n", Options{})
			if err != nil && strings.Contains(err.Error(), "no parameter") {
				t.Errorf("%s: %v", b.Signature, err)
			}
		}
	}
}

// paramsOf lists the named parameters of a signature.
func paramsOf(t *testing.T, signature string) []string {
	_, params, _ := strings.Cut(signature, "(")
	file, err := code.Dialect().Parse("signature", "def f("+params+":\n  pass\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range file.Stmts[0].(*syntax.DefStmt).Params {
		switch p := p.(type) {
		case *syntax.Ident:
			names = append(names, p.Name)
		case *syntax.BinaryExpr:
			names = append(names, p.X.(*syntax.Ident).Name)
		}
	}
	return names
}

func TestHelpOnOneBuiltin(t *testing.T) {
	var b bytes.Buffer
	if err := Help(&b, "ctx.run"); err != nil || !strings.HasPrefix(b.String(), "ctx.run(*argv") {
		t.Errorf("%v %q", err, b.String())
	}
	err := Help(&b, "varaible")
	if err == nil || !strings.Contains(err.Error(), `did you mean "variable"?`) {
		t.Errorf("%v", err)
	}
}
