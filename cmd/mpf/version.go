package main

import "runtime/debug"

// version prints which mpf this is.
func (p *program) version(args []string) error {
	if err := newOptions("version").parse(p, args, 0, 0); err != nil {
		return err
	}
	p.say.print("mpf %s\n", mpfVersion())
	return nil
}

// mpfVersion is the version or the commit from which mpf was built.
func mpfVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, dirty := info.Main.Version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && (version == "" || version == "(devel)"):
			version = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if version == "" || version == "(devel)" {
		return "devel"
	}
	return version + dirty
}
