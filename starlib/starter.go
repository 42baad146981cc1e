package starlib

import (
	"strings"

	"mpf/starlib/naming"
)

// StarterRole is the role that the first experiment declares.
const StarterRole = "worker"

// starter is a first experiment. It runs on any machine that has gzip.
const starter = `#!/usr/bin/env -S mpf run
"""How fast gzip compresses, by level and input."""
experiment("NAME", replicates = 6)

# What varies: a list of levels, or a dict label -> value.
variable("level", [1, 6, 9])
variable("input", {"zeros": "/dev/zero", "random": "/dev/urandom"})

# What is measured.
result("rate", float, unit = "B/s", better = "higher")
result("ratio", float, better = "lower")

# A flag of this file: mpf run --flag size=1000000 FILE
SIZE = flag("size", 4000000)

# Who plays a part: this machine, or the hosts of a cluster file.
worker = role("worker")

# What a host does in a run; variables are parameters by name.
def measure(ctx, level, input):
    ctx.sh('head -c "$size" "$input" > data', size = SIZE, input = input)
    out = ctx.run("gzip", "-%d" % level, "--keep", "data")
    packed = ctx.run("stat", "--format", "%s", "data.gz").number("[0-9]+")
    return {"rate": SIZE / out.seconds, "ratio": packed / SIZE}

worker.step(measure)
`

// Starter returns the text of a first experiment of that name, to be changed. Its
// error says how names are written.
func Starter(name string) (string, error) {
	if err := naming.Folder("experiment", name); err != nil {
		return "", err
	}
	return strings.Replace(starter, "NAME", name, 1), nil
}
