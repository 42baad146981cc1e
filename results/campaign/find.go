package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

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
			return "", explain(dir, err)
		}
	}
	return "", &RefusedError{Dir: filepath.Join(base, experiment, stamp), What: "begun a thousand times this second", Todo: "name a directory with: mpf run -o DIR"}
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
		return explain(dir, err)
	}
	return explain(dir, os.Rename(temp, link))
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
		return "", false, explain(parent, err)
	}
	for _, e := range slices.Backward(entries) {
		dir := filepath.Join(parent, e.Name())
		if e.IsDir() && isCampaign(dir) {
			return dir, isUnfinished(dir), nil
		}
	}
	return "", false, nil
}

// isCampaign reports whether a campaign was begun in a directory.
func isCampaign(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, planName(1)))
	return err == nil
}

// isUnfinished leaves it to Open to say what is wrong with a damaged campaign.
func isUnfinished(dir string) bool {
	tree, err := openTree(dir, Config{})
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
