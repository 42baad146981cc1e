package starlib

import "strings"

// starter is a first experiment. It runs on any machine that has gzip.
const starter = `#!/usr/bin/env -S mpf run
"""How fast gzip compresses, by level and input."""
experiment("NAME", replicates = 6)

variable("level", [1, 6, 9])
variable("input", {"zeros": "/dev/zero", "random": "/dev/urandom"})
result("rate", float, unit = "B/s", better = "higher")
result("ratio", float, better = "lower")

SIZE = flag("size", 4000000)

worker = role("worker")

def measure(ctx, level, input):
    ctx.sh('head -c "$size" "$input" > data', size = SIZE, input = input)
    out = ctx.run("gzip", "-%d" % level, "--keep", "data")
    packed = ctx.run("stat", "--format", "%s", "data.gz").number("[0-9]+")
    return {"rate": SIZE / out.seconds, "ratio": packed / SIZE}

worker.step(measure)
`

// Starter returns the text of a first experiment of that name, to be changed.
func Starter(name string) string { return strings.Replace(starter, "NAME", name, 1) }
