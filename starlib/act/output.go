package act

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/modules"
	"mpf/starlib/script"
)

// An output is a command that has ended.
type output struct{ o engine.Output }

var _ starlark.HasAttrs = (*output)(nil)

func (o *output) String() string {
	return fmt.Sprintf("command(%q, code = %d)", o.o.Argv, o.o.Code)
}
func (o *output) Type() string          { return "command" }
func (o *output) Freeze()               {}
func (o *output) Truth() starlark.Bool  { return o.o.Code == 0 && o.o.Signal == "" }
func (o *output) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: command") }

// An outputMember is an attribute or, with a do, a method of a command.
type outputMember struct {
	doc script.Doc
	get func(engine.Output) starlark.Value
	do  func(engine.Output, *script.Call) (starlark.Value, error)
}

func (m outputMember) of(o engine.Output) starlark.Value {
	if m.get != nil {
		return m.get(o)
	}
	return script.New(m.doc, func(call *script.Call) (starlark.Value, error) { return m.do(o, call) })
}

func (o *output) Attr(name string) (starlark.Value, error) {
	for _, m := range outputMembers() {
		if m.doc.Word() == name {
			return m.of(o.o), o.partial(name)
		}
	}
	return nil, nil
}

// partial refuses to hand out a stream of which a part is missing: a number
// made of it would be wrong without a word.
func (o *output) partial(name string) error {
	switch name {
	case "stdout":
		return wholeStream(o.o, "stdout", o.o.Stdout)
	case "stderr":
		return wholeStream(o.o, "stderr", o.o.Stderr)
	}
	return nil
}

func (o *output) AttrNames() []string {
	var names []string
	for _, m := range outputMembers() {
		names = append(names, m.doc.Word())
	}
	return names
}

func field(name, text string, get func(engine.Output) starlark.Value) outputMember {
	return outputMember{doc: script.Doc{Signature: "command." + name, Text: text, When: "on what `ctx.run`, `ctx.sh`, `process.wait` and `process.stop` return"}, get: get}
}

func outputMembers() []outputMember {
	return []outputMember{
		field("code", "The exit status; -1 where a signal ended the program.", func(o engine.Output) starlark.Value { return starlark.MakeInt(o.Code) }),
		field("signal", "The signal that ended the program, as \"SIGKILL\", or None.", func(o engine.Output) starlark.Value { return textOrNone(o.Signal) }),
		field("timed_out", "Whether the timeout ended the program.", func(o engine.Output) starlark.Value { return starlark.Bool(o.TimedOut) }),
		field("stdout", "What the program wrote to its standard output, byte for byte. Reading it is an error where not all of it could be kept; truncated says so beforehand.", func(o engine.Output) starlark.Value { return starlark.String(o.Stdout.Data) }),
		field("stderr", "As stdout, for standard error.", func(o engine.Output) starlark.Value { return starlark.String(o.Stderr.Data) }),
		field("truncated", "Whether stdout or stderr is not whole.", func(o engine.Output) starlark.Value {
			return starlark.Bool(o.Stdout.Truncated || o.Stderr.Truncated)
		}),
		field("seconds", "How long the program ran, by the host's monotonic clock.", func(o engine.Output) starlark.Value { return starlark.Float(o.Seconds) }),
		field("usage", "The rusage of its whole process tree: `user_seconds`, `system_seconds`, `max_rss` (KiB, no less than the agent's own: the kernel counts from the fork), `minor_faults`, `major_faults`, `swaps`, `blocks_in`, `blocks_out`, `messages_sent`, `messages_received`, `signals`, `voluntary_switches`, `involuntary_switches`, `shared_text`, `unshared_data`, `unshared_stack`.", func(o engine.Output) starlark.Value { return usageOf(o.Usage) }),
		field("argv", "The words of the command.", argvOf),
		{doc: script.Doc{
			Signature: "command.json()", Text: "The value that standard output, as JSON, stands for.",
			When: "on a command", Checks: "standard output is whole and one JSON value",
			Error: "`iperf3: stdout is not JSON: at offset 0, unexpected character 'C'; it begins \"Connecting to...\"`",
		}, do: jsonOf},
		{doc: script.Doc{
			Signature: "command.lines()", Text: "The lines of standard output without their ends.",
			When: "on a command", Checks: "standard output is whole", Error: "`seq: stdout is truncated ...`",
		}, do: linesOf},
		{doc: script.Doc{
			Signature: `command.number(pattern, of = "stdout")`, Text: "The number that the pattern finds first: its first group, or the whole match; an int if it is written as one, else a float.",
			When: "on a command", Checks: "the pattern is a regular expression that matches, and what it finds is a number; where output was cut, it lies before the cut; of is \"stdout\" or \"stderr\"",
			Error: "`dd: nothing in stderr matches \"([0-9.]+) MB/s\"; it ends \"...\"`",
		}, do: numberOf},
	}
}

func textOrNone(text string) starlark.Value {
	if text == "" {
		return starlark.None
	}
	return starlark.String(text)
}

func argvOf(o engine.Output) starlark.Value {
	items := make([]engine.Value, len(o.Argv))
	for i, word := range o.Argv {
		items[i] = word
	}
	return convert.Starlark(items)
}

func usageOf(u engine.Usage) starlark.Value {
	fields := starlark.StringDict{
		"user_seconds": starlark.Float(u.UserSeconds), "system_seconds": starlark.Float(u.SystemSeconds),
	}
	for name, n := range map[string]int64{
		"max_rss": u.MaxRSS, "shared_text": u.SharedText, "unshared_data": u.UnsharedData, "unshared_stack": u.UnsharedStack,
		"minor_faults": u.MinorFaults, "major_faults": u.MajorFaults, "swaps": u.Swaps,
		"blocks_in": u.BlocksIn, "blocks_out": u.BlocksOut,
		"messages_sent": u.MessagesSent, "messages_received": u.MessagesReceived, "signals": u.Signals,
		"voluntary_switches": u.VoluntarySwitches, "involuntary_switches": u.InvoluntarySwitches,
	} {
		fields[name] = starlark.MakeInt64(n)
	}
	return starlarkstruct.FromStringDict(starlark.String("usage"), fields)
}

func program(o engine.Output) string {
	if len(o.Argv) == 0 {
		return "command"
	}
	return clip(o.Argv[0], 80)
}

// unreadable is the failure of reading what a command printed.
func unreadable(format string, args ...any) error {
	return &engine.Failure{Status: engine.Failed, Cause: engine.CauseOutput, Message: script.OneLine(fmt.Sprintf(format, args...))}
}

// whole refuses to read from output of which a part is missing.
func whole(o engine.Output) error { return wholeStream(o, "stdout", o.Stdout) }

func wholeStream(o engine.Output, name string, stream engine.Stream) error {
	if !stream.Truncated {
		return nil
	}
	return unreadable("%s: %s is truncated: %d of %d bytes were kept (let the program write to a file and fetch it with ctx.get)",
		program(o), name, len(stream.Data), stream.Size)
}

func jsonOf(o engine.Output, call *script.Call) (starlark.Value, error) {
	if err := call.Unpack(); err != nil {
		return nil, err
	}
	if err := whole(o); err != nil {
		return nil, err
	}
	text := string(o.Stdout.Data)
	v, err := modules.DecodeJSON(call.Thread, text)
	if err != nil {
		why := strings.TrimPrefix(script.Innermost(err).Error(), "json.decode: ")
		return nil, unreadable("%s: stdout is not JSON: %s; it begins %q", program(o), why, clip(text, 60))
	}
	return v, nil
}

func linesOf(o engine.Output, call *script.Call) (starlark.Value, error) {
	if err := call.Unpack(); err != nil {
		return nil, err
	}
	if err := whole(o); err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(string(o.Stdout.Data), "\n")
	if text == "" {
		return starlark.NewList(nil), nil
	}
	var lines []starlark.Value
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, starlark.String(strings.TrimSuffix(line, "\r")))
	}
	return starlark.NewList(lines), nil
}

func numberOf(o engine.Output, call *script.Call) (starlark.Value, error) {
	var pattern string
	of := "stdout"
	if err := call.Unpack("pattern", &pattern, "of?", &of); err != nil {
		return nil, err
	}
	stream := o.Stdout
	switch of {
	case "stdout":
	case "stderr":
		stream = o.Stderr
	default:
		return nil, fmt.Errorf(`number: of = %q, want "stdout" or "stderr"`, of)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("number: pattern %q: %w", pattern, err)
	}
	at := re.FindSubmatchIndex(stream.Data)
	if at == nil || at[1] == len(stream.Data) { // what follows may have been cut off
		if err := wholeStream(o, of, stream); err != nil {
			return nil, err
		}
	}
	if at == nil {
		return nil, unreadable("%s: nothing in %s matches %q; it ends %q", program(o), of, pattern, ending(stream.Data))
	}
	if len(at) > 2 {
		at = at[2:] // of the first group
	}
	text := ""
	if at[0] >= 0 {
		text = string(stream.Data[at[0]:at[1]])
	}
	return parseNumber(program(o), pattern, text)
}

func parseNumber(who, pattern, text string) (starlark.Value, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(i), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, unreadable("%s: %q found %q, which is no number (put the digits alone into the first group: ([0-9.]+))",
			who, pattern, clip(text, 60))
	}
	return starlark.Float(f), nil
}
