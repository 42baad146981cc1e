package act

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// readLimit bounds what ctx.read returns unless it says otherwise.
const readLimit = 1 << 20

const inSteps = "in steps, setup and cleanup"

func fileMethods() []method {
	return []method{{
		script.Doc{
			Signature: "ctx.put(local, path = None)",
			Text:      "Copies a file or a folder of the controller, named relative to the experiment's folder, to this host; path is relative to ctx.dir and is the local name unless given; returns the path.",
			When:      inSteps, Checks: "what arrived is compared by hash; what is there already is not sent",
			Error: "`no file \"/home/me/data.bin\" on the controller`",
		}, (*Context).put}, {
		script.Doc{
			Signature: "ctx.get(path, name = None)",
			Text:      "Fetches a file or a folder of this host into the run's folder of the record, under name or its own last name, which is returned; links, sockets and the like in a folder are left out.",
			When:      inSteps, Checks: "what arrived is compared by hash; name is relative and stays in the run's folder",
			Error: "`no file \"/home/me/.cache/mpf/host-1f/runs/3f-1/trace.bin\"`",
		}, (*Context).get}, {
		script.Doc{
			Signature: `ctx.read(path, limit = "1MiB")`,
			Text:      "The text of a file of this host.",
			When:      inSteps, Checks: "the file is not larger than limit",
			Error: "`no file \"/proc/nothing\"`",
		}, (*Context).read}, {
		script.Doc{
			Signature: "ctx.write(path, text, mode = 0o644)",
			Text:      "Writes a file on this host and returns its path.",
			When:      inSteps, Checks: "text is string or bytes; mode is 0 to 0o777",
			Error: "`write \"/etc/hosts\": permission denied`",
		}, (*Context).write},
	}
}

func (c *Context) put(call *script.Call) (starlark.Value, error) {
	var local, remote convert.Text
	if err := call.Unpack("local", &local, "path??", &remote); err != nil {
		return nil, err
	}
	from := filepath.FromSlash(string(local))
	if !filepath.IsAbs(from) {
		from = filepath.Join(c.folder, from)
	}
	if remote == "" {
		remote = convert.Text(filepath.Base(from))
	}
	if err := c.rc.Workspace.Put(c.ctx, from, string(remote)); err != nil {
		return nil, hostError(engine.CauseArtifact, fmt.Sprintf("put %q", local), err)
	}
	return starlark.String(remote), nil
}

func (c *Context) get(call *script.Call) (starlark.Value, error) {
	var remote, name convert.Text
	if err := call.Unpack("path", &remote, "name??", &name); err != nil {
		return nil, err
	}
	if name == "" {
		name = convert.Text(path.Base(string(remote)))
	}
	if !fs.ValidPath(string(name)) || name == "." {
		return nil, script.Problemf("get %q: name %q is not one in the run's folder", remote, name).
			Mend(`write a relative name without "..", as name = "trace.bin"`)
	}
	local, err := c.rc.Journal.FilePath(string(name))
	if err != nil {
		return nil, hostError(engine.CauseArtifact, fmt.Sprintf("get %q", remote), err)
	}
	if err := c.rc.Workspace.Get(c.ctx, string(remote), local); err != nil {
		return nil, hostError(engine.CauseArtifact, fmt.Sprintf("get %q", remote), err)
	}
	return starlark.String(name), nil
}

func (c *Context) read(call *script.Call) (starlark.Value, error) {
	var remote convert.Text
	limit := convert.Size{Bytes: readLimit}
	if err := call.Unpack("path", &remote, "limit?", &limit); err != nil {
		return nil, err
	}
	data, err := c.rc.Workspace.ReadFile(c.ctx, string(remote), limit.Bytes)
	if err != nil {
		return nil, hostError(engine.CauseArtifact, fmt.Sprintf("read %q", remote), err)
	}
	return starlark.String(data), nil
}

func (c *Context) write(call *script.Call) (starlark.Value, error) {
	var remote convert.Text
	var content starlark.Value
	mode := convert.Count{N: 0o644}
	if err := call.Unpack("path", &remote, "text", &content, "mode?", &mode); err != nil {
		return nil, err
	}
	var data []byte
	switch v := content.(type) {
	case starlark.String:
		data = []byte(v)
	case starlark.Bytes:
		data = []byte(v)
	default:
		return nil, fmt.Errorf("write: for parameter text: got %s, want string or bytes", v.Type())
	}
	if mode.N > 0o777 {
		return nil, fmt.Errorf("write: for parameter mode: got %#o, want 0 to 0o777", mode.N)
	}
	if err := c.rc.Workspace.WriteFile(c.ctx, string(remote), data, fs.FileMode(mode.N)); err != nil {
		return nil, hostError(engine.CauseArtifact, fmt.Sprintf("write %q", remote), err)
	}
	return starlark.String(remote), nil
}
