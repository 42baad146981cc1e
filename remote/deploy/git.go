package deploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A repository is a git folder on the controller.
type repository struct {
	dir    string // what git -C is given
	prefix string // of the source within it: "server/", or empty
	url    string // where it is fetched from, or empty: it is the user's own
}

// git executes git without asking anybody anything. A repository's own settings
// name no program for it to run: protocols are limited to those that fetch.
func (r repository) git(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir}, args...)...)
	cmd.Env = append(os.Environ(), append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "LC_ALL=C")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed on this machine: apt-get install git")
	case err != nil:
		return "", fmt.Errorf("git %s: %s", args[0], lastLine(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// fetched is the repository of a URL in the cache of the controller, which is
// told of what is new unless it knows the revision as a whole hash already.
func fetched(ctx context.Context, cache, url, revision string) (repository, error) {
	sum := sha256.Sum256([]byte(url))
	r := repository{dir: filepath.Join(cache, "git", fmt.Sprintf("%x", sum[:10])), url: url}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return r, err
	}
	if _, err := r.git(ctx, nil, "init", "--quiet", "--bare"); err != nil {
		return r, err
	}
	if wholeHash.MatchString(revision) {
		if _, err := r.git(ctx, nil, "cat-file", "-e", revision+"^{commit}"); err == nil {
			return r, nil
		}
	}
	_, err := r.git(ctx, nil, "fetch", "--quiet", "--force", "--prune", "--end-of-options", url,
		"+HEAD:refs/mpf/head", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
	return r, err
}

var wholeHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// commit is the exact commit that a revision names.
func (r repository) commit(ctx context.Context, revision string) (string, error) {
	if revision == "" {
		revision = "refs/mpf/head"
	}
	commit, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil && ctx.Err() == nil {
		return "", &wrongSource{fmt.Sprintf("no revision %q in %s", revision, r), "name a branch, a tag or a commit that it has"}
	}
	return strings.TrimPrefix(commit, "--end-of-options\n"), err
}

func (r repository) String() string {
	if r.url != "" {
		return r.url
	}
	return r.dir
}

// checkout writes the files of a commit into a folder, by an index of its own:
// the repository and its work tree are left as they are.
func (r repository) checkout(ctx context.Context, commit, folder string) error {
	index := []string{"GIT_INDEX_FILE=" + folder + ".index"}
	defer os.Remove(folder + ".index")
	tree := commit
	if r.prefix != "" {
		tree += ":" + r.prefix
	}
	if _, err := r.git(ctx, index, "read-tree", tree); err != nil {
		return err
	}
	_, err := r.git(ctx, append(index, "GIT_WORK_TREE="+folder), "checkout-index", "--all", "--force", "--prefix="+folder+"/")
	return err
}

// around is the repository in whose work tree a folder lies; ok is false where
// it lies in none, or git is not there.
func around(ctx context.Context, folder string) (r repository, ok bool) {
	r.dir = folder
	prefix, err := r.git(ctx, nil, "rev-parse", "--show-prefix")
	r.prefix = prefix
	return r, err == nil
}

// state is the commit of a work tree and whether its folder differs from it.
func (r repository) state(ctx context.Context) (commit string, dirty bool, err error) {
	commit, err = r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "", false, err
	}
	changes, err := r.git(ctx, nil, "status", "--porcelain", "--", ".")
	return commit, changes != "", err
}
