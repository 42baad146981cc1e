package inventory

import (
	"path"
	"slices"

	"gopkg.in/yaml.v3"
)

// checkStream refuses a program that is known to pass on less than the bytes as
// they are, by the words that it was given.
func (r *reader) checkStream(n *yaml.Node, subject string, argv []string) {
	if len(argv) == 0 {
		return
	}
	switch program := path.Base(argv[0]); program {
	case "srun":
		if !has(argv, "-u", "--unbuffered") {
			r.mistake(n, "add --unbuffered to it", "%s: srun passes on whole lines only", subject)
		}
		if has(argv, "--pty", "-l", "--label") {
			r.mistake(n, "leave out --pty and --label", "%s: srun changes what it passes on", subject)
		}
	case "docker", "podman", "nerdctl", "kubectl", "oc":
		if !slices.Contains(argv, "exec") {
			return
		}
		if !has(argv, "-i", "-it", "-ti", "--interactive", "--interactive=true", "--stdin", "--stdin=true") {
			r.mistake(n, "add -i after exec", "%s: %s passes nothing on to it", subject, program)
		}
		if has(argv, "-t", "-it", "-ti", "--tty") {
			r.mistake(n, "leave out -t", "%s: the terminal of %s changes what it passes on", subject, program)
		}
	}
}

func has(argv []string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(argv, w) })
}
