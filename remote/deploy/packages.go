package deploy

import (
	"context"
	"fmt"
	"strings"

	"mpf/engine"
)

// install installs the packages that are missing.
func (s *site) install(ctx context.Context) error {
	wanted := append(append([]string{}, s.deployment.Packages[""]...), s.deployment.Packages[s.manager]...)
	if len(s.deployment.Packages) == 0 || len(wanted) == 0 && s.manager != "" {
		return nil
	}
	if s.manager == "" {
		return fmt.Errorf("packages are wanted, and the host has neither apt nor dnf (install them by build commands)")
	}
	for _, name := range wanted {
		if !packageName(name) {
			return fmt.Errorf("%q is no name of a package", name)
		}
	}
	missing, err := s.missing(ctx, wanted)
	if err != nil || len(missing) == 0 {
		return err
	}
	if s.manager == "dnf" {
		return s.asRoot(ctx, append([]string{"dnf", "install", "--assumeyes", "--quiet", "--setopt=install_weak_deps=False"}, missing...))
	}
	return s.aptInstall(ctx, missing)
}

// packageName keeps options out of the package manager's argv.
func packageName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsAny(name, " \t\n/")
}

// missing asks for what is installed; versions, as in name=1.2, are left to the
// package manager.
func (s *site) missing(ctx context.Context, wanted []string) ([]string, error) {
	query := []string{"rpm", "-q", "--whatprovides"}
	if s.manager == "apt" {
		query = []string{"dpkg-query", "-W", "-f", "${Status}\n"}
	}
	var missing []string
	for _, name := range wanted {
		out, err := s.room.Run(ctx, engine.Command{Argv: append(query[:len(query):len(query)], name)})
		if err != nil {
			return nil, err
		}
		installed := out.Code == 0
		if s.manager == "apt" {
			installed = installed && strings.Contains(string(out.Stdout.Data), "install ok installed")
		}
		if !installed {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// aptInstall installs, and where the lists are too old for that fetches them
// first. Another apt at work is waited for.
func (s *site) aptInstall(ctx context.Context, missing []string) error {
	apt := func(words ...string) []string {
		return append([]string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300"}, words...)
	}
	install := apt(append([]string{"install", "--no-install-recommends"}, missing...)...)
	if s.asRoot(ctx, install) == nil {
		return nil
	}
	if err := s.asRoot(ctx, apt("update")); err != nil {
		return err
	}
	return s.asRoot(ctx, install)
}

func (s *site) asRoot(ctx context.Context, argv []string) error {
	_, err := s.must(ctx, engine.Command{Argv: argv, Sudo: !s.root})
	return err
}
