// Package shelf is the folder in which the campaigns of an experiment lie side by
// side, each under the time of its beginning, and the link that leads to the
// newest.
package shelf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mpf/results/campaign"
	"mpf/results/fsys"
	"mpf/results/journal"
)

// latestName is the symbolic link beside an experiment's campaigns.
const latestName = "latest"

// NewDir returns the directory for a new campaign of an experiment below base.
// It is not made.
func NewDir(base, experiment string, now time.Time) (string, error) {
	stamp := now.UTC().Format("2006-01-02T15-04-05Z")
	for i := 1; i < 1000; i++ {
		name := stamp
		if i > 1 {
			name = fmt.Sprintf("%s-%d", stamp, i)
		}
		dir := filepath.Join(base, experiment, name)
		_, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", &campaign.StorageError{Dir: dir, Err: err}
		}
	}
	return "", &campaign.RefusedError{Dir: filepath.Join(base, experiment, stamp), What: "begun a thousand times this second", Todo: "name a directory with: mpf run -o DIR"}
}

// PointLatest makes the link "latest" beside a campaign lead to it. Where
// something that is no link has that name, it is left alone.
func PointLatest(dir string) error {
	link := filepath.Join(filepath.Dir(dir), latestName)
	info, err := os.Lstat(link)
	if err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	temp := filepath.Join(filepath.Dir(dir), ".latest-"+filepath.Base(dir))
	if err := os.Symlink(filepath.Base(dir), temp); err != nil && !errors.Is(err, fs.ErrExist) {
		return &campaign.StorageError{Dir: dir, Err: err}
	}
	if err := os.Rename(temp, link); err != nil {
		return &campaign.StorageError{Dir: dir, Err: err}
	}
	return nil
}

// Find returns the newest campaign of an experiment below base, or "", and
// whether it has runs left to do.
func Find(base, experiment string) (dir string, unfinished bool, err error) {
	parent := filepath.Join(base, experiment)
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, &campaign.StorageError{Dir: parent, Err: err}
	}
	for _, e := range slices.Backward(entries) {
		dir := filepath.Join(parent, e.Name())
		if e.IsDir() && campaign.Begun(dir) {
			return dir, isUnfinished(dir), nil
		}
	}
	return "", false, nil
}

// isUnfinished leaves it to Open to say what is wrong with a damaged campaign.
func isUnfinished(dir string) bool {
	tree, err := fsys.OpenDir(dir)
	if err != nil {
		return true
	}
	defer tree.Close()
	j, err := journal.Read(tree)
	if err != nil {
		return true
	}
	closed := j.Summary().Closed
	return closed == nil || !closed.Complete
}
