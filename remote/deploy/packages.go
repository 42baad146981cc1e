package deploy

import (
	"context"
	"errors"
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
	title := "install " + strings.Join(missing, " ")
	s.begin(title)
	if s.manager == "dnf" {
		return s.asRoot(ctx, title, append([]string{"dnf", "install", "--assumeyes", "--quiet", "--setopt=install_weak_deps=False"}, missing...))
	}
	return s.aptInstall(ctx, title, missing)
}

// packageName keeps options out of the package manager's argv.
func packageName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsAny(name, " \t\n/")
}

// What is installed is asked of these.
const (
	dpkgQuery = "dpkg-query"
	rpmQuery  = "rpm"
)

// missing asks for what is installed; of apt also in which version, where one is
// named as in name=1.2.
func (s *site) missing(ctx context.Context, wanted []string) ([]string, error) {
	var missing []string
	for _, name := range wanted {
		query, status := []string{rpmQuery, "-q", "--whatprovides", name}, ""
		if s.manager == "apt" {
			short, version, _ := strings.Cut(name, "=")
			query, status = []string{dpkgQuery, "-W", "-f", "${Status} ${Version} ", short}, "install ok installed "+version
		}
		out, err := s.room.Run(ctx, engine.Command{Argv: query})
		if err != nil {
			return nil, err
		}
		if out.Code != 0 || !strings.HasPrefix(string(out.Stdout.Data)+" ", status) {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// aptInstall installs, and where the lists are too old for that fetches them
// first. Another apt at work is waited for.
func (s *site) aptInstall(ctx context.Context, title string, missing []string) error {
	apt := func(words ...string) []string {
		return append([]string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300"}, words...)
	}
	install := apt(append([]string{"install", "--no-install-recommends"}, missing...)...)
	err := s.asRoot(ctx, title, install)
	var said *commandError
	if !errors.As(err, &said) { // done, or a host that cannot be asked
		return err
	}
	if err := s.asRoot(ctx, title+": apt-get update", apt("update")); err != nil {
		return err
	}
	return s.asRoot(ctx, title, install)
}

func (s *site) asRoot(ctx context.Context, title string, argv []string) error {
	_, err := s.must(ctx, engine.Command{Name: title, Argv: argv, Sudo: !s.root})
	return err
}
