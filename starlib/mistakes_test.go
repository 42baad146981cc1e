package starlib

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mpf/engine"
)

// The files of testdata are chunks parted by lines "---". Each is loaded as a
// file of its own; a comment "### regexp" stands on each line that a mistake is
// reported for and matches it, hint included. A chunk without one must load. An
// experiment and a step are added at the end of chunks that have none.
func TestMistakesAreReportedWhereTheyStand(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 1
		for i, chunk := range strings.Split(string(content), "\n---\n") {
			t.Run(fmt.Sprintf("%s/%d_line_%d", filepath.Base(file), i, line), func(t *testing.T) { checkChunk(t, chunk) })
			line += strings.Count(chunk, "\n") + 2
		}
	}
}

func checkChunk(t *testing.T, chunk string) {
	text := chunk
	if !strings.Contains(text, "experiment(") {
		text += "\nexperiment(\"harness\")"
	}
	if !strings.Contains(text, ".step(") {
		text += "\nnobody = role(\"nobody\")\nnobody.step(lambda ctx: None)"
	}
	_, err := loadText(t, text+"\n", Options{})
	var mistakes engine.Mistakes
	if err != nil && !errors.As(err, &mistakes) {
		t.Fatalf("got %v, want Mistakes", err)
	}
	checkExpected(t, strings.Split(chunk, "\n"), mistakes)
}

func checkExpected(t *testing.T, lines []string, mistakes engine.Mistakes) {
	found := make([]bool, len(mistakes))
	for i, line := range lines {
		_, pattern, expected := strings.Cut(line, "### ")
		if !expected {
			continue
		}
		re := regexp.MustCompile(pattern)
		matched := false
		for j, m := range mistakes {
			text := m.Message + " (" + m.Hint + ")"
			if m.Pos.Line == i+1 && re.MatchString(text) {
				matched, found[j] = true, true
			}
		}
		if !matched {
			t.Errorf("line %d: no mistake matches %q", i+1, pattern)
		}
	}
	for j, m := range mistakes {
		if !found[j] {
			t.Errorf("unexpected: %v", m)
		}
	}
}
