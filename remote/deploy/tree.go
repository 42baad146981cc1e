package deploy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// list returns the files and symbolic links of a folder, relative to it and
// sorted, without what its ignore files exclude, without .git and without the
// campaigns that were made in it.
func list(root string) ([]string, error) {
	var names []string
	var walk func(folder string, patterns []pattern) error
	walk = func(folder string, patterns []pattern) error {
		for _, name := range ignoreFiles {
			content, err := os.ReadFile(filepath.Join(root, folder, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			patterns = append(patterns[:len(patterns):len(patterns)], parseIgnore(folder, string(content))...)
		}
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			switch {
			case e.Name() == ".git" || ignored(patterns, name, e.IsDir()) || isCampaign(filepath.Join(root, name)):
			case e.IsDir():
				if err := walk(name, patterns); err != nil {
					return err
				}
			case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
				names = append(names, name)
			default:
				return fmt.Errorf("%s: neither a file nor a folder", filepath.Join(root, name))
			}
		}
		return nil
	}
	if err := walk("", nil); err != nil {
		return nil, err
	}
	sort.Strings(names)
	return names, nil
}

// isCampaign goes by what the record of a campaign begins with, and by the name
// under which campaigns lie.
func isCampaign(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, "plan", "0001.json"))
	return err == nil || filepath.Base(folder) == "mpf-out"
}

// copyTree copies named files of one folder into another.
func copyTree(from, to string, names []string) error {
	for _, name := range names {
		source, target := filepath.Join(from, name), filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := copyFile(source, target); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(source, target string) error {
	info, err := os.Lstat(source)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(text, target)
	}
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// hashTree is the hash of the names, modes and contents of a folder.
func hashTree(root string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, kind, err := content(name, e)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %q %x\n", kind, filepath.ToSlash(short), content)
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// content is the hash of a file, or of where a link points.
func content(name string, e fs.DirEntry) (hash []byte, kind string, err error) {
	sum := sha256.New()
	if e.Type()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(name)
		_, _ = io.WriteString(sum, text)
		return sum.Sum(nil), "link", err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	kind = "file"
	if info.Mode().Perm()&0o100 != 0 {
		kind = "program"
	}
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), kind, err
}

// isURL tells a repository elsewhere from a folder of the controller.
func isURL(source string) bool {
	if strings.Contains(source, "://") {
		return true
	}
	host, _, colon := strings.Cut(source, ":")
	return colon && !strings.Contains(host, "/")
}
