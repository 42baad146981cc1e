package remote

import (
	"regexp"

	"mpf/remote/link"
)

// obstacles are what the programs say through which an agent is started, and the
// edit that helps.
var obstacles = []struct {
	said *regexp.Regexp
	edit string
}{
	{regexp.MustCompile(`Cannot open network namespace .*No such file`), "make it there with ip netns add, or mend namespace: in the cluster file"},
	{regexp.MustCompile(`network namespace .*(Operation not permitted|Permission denied)`), "add become: root to the host, or reach it as root"},
	{regexp.MustCompile(`taskset: failed to (parse|set)`), "name processors in cpus: that the host has, and may use"},
	{regexp.MustCompile(`sudo: (command |exec: "sudo": executable file )?not found`), "install sudo there, or reach the host as root and take become: out"},
}

// wayHint is the edit that lets an agent be started where the way to it said
// this; empty where nothing is known of it.
func wayHint(said, user string) string {
	if hint := link.SudoHint(said, user); hint != "" {
		return hint
	}
	for _, o := range obstacles {
		if o.said.MatchString(said) {
			return o.edit
		}
	}
	return ""
}
