package client

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mpf/remote/hostkeys"
	"mpf/remote/sshconfig"
)

// maxOffered is how many keys a server is asked about: most give up at the
// sixth.
const maxOffered = 5

// identities are the keys to offer to one hop, in order, and what is to be said
// of them where none is accepted.
type identities struct {
	signers []ssh.Signer
	offered []string // one line a signer
	notes   []string // keys that could not be used, and why
	agent   net.Conn // or nil
}

// Close ends the connection to the ssh-agent; its signers are dead then.
func (ids *identities) Close() {
	if ids.agent != nil {
		_ = ids.agent.Close()
	}
}

// collect gathers keys as ssh does: certificates, keys of the ssh-agent that
// the configuration names, its other keys, keys of files; of them those that
// sign by an algorithm that is allowed. No list of algorithms allows all.
func collect(s sshconfig.Settings, allowed []string) *identities {
	ids := &identities{}
	held := ids.agentKeys(s.IdentityAgent)
	files := ids.files(s, held)
	certificates := ids.certificates(s, held, files)
	var named, others []candidate
	for _, k := range held {
		switch {
		case contains(files, k):
			named = append(named, k)
		case !s.IdentitiesOnly:
			others = append(others, k)
		}
	}
	for _, group := range [][]candidate{certificates, named, others, files} {
		for _, k := range group {
			if bits := hostkeys.RSABits(k.public); bits > 0 && bits < s.RequiredRSASize {
				ids.notes = append(ids.notes, fmt.Sprintf("%s: it has %d bits, RequiredRSASize is %d", k.from, bits, s.RequiredRSASize))
				continue
			}
			ids.offer(k, allowed)
		}
	}
	return ids
}

// A candidate is a key that may be offered.
type candidate struct {
	public ssh.PublicKey
	signer ssh.Signer // nil where only the public half is at hand
	from   string
}

func contains(all []candidate, k candidate) bool {
	for _, other := range all {
		if sameKey(plain(other.public), plain(k.public)) {
			return true
		}
	}
	return false
}

func (ids *identities) offer(k candidate, allowed []string) {
	if k.signer == nil {
		return
	}
	k, err := restrict(k, allowed)
	if err != nil {
		ids.notes = append(ids.notes, fmt.Sprintf("%s: %v", k.from, err))
		return
	}
	for _, s := range ids.signers {
		if sameKey(s.PublicKey(), k.public) {
			return
		}
	}
	if len(ids.signers) == maxOffered {
		ids.notes = append(ids.notes, fmt.Sprintf("%s was not offered, %d were before it: name the right one by IdentityFile with IdentitiesOnly yes", k.from, maxOffered))
		return
	}
	ids.signers = append(ids.signers, k.signer)
	ids.offered = append(ids.offered, fmt.Sprintf("%s %s (%s)", k.public.Type(), ssh.FingerprintSHA256(k.public), k.from))
}

// agentKeys asks the ssh-agent.
func (ids *identities) agentKeys(socket string) []candidate {
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		ids.notes = append(ids.notes, fmt.Sprintf("ssh-agent at %s: %v", socket, errors.Unwrap(err)))
		return nil
	}
	ids.agent = conn
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		ids.notes = append(ids.notes, fmt.Sprintf("ssh-agent at %s: %v", socket, err))
		return nil
	}
	var keys []candidate
	for _, s := range signers {
		keys = append(keys, candidate{s.PublicKey(), s, "ssh-agent"})
	}
	return keys
}

// files reads the keys that the configuration names. Of one that is encrypted
// the public half may tell that the ssh-agent holds it.
func (ids *identities) files(s sshconfig.Settings, held []candidate) []candidate {
	var keys []candidate
	for _, path := range s.IdentityFiles {
		k, err := readKey(path)
		if errors.Is(err, fs.ErrNotExist) && !s.IdentitiesGiven {
			continue
		}
		if err != nil && (k.public == nil || !contains(held, k)) {
			ids.notes = append(ids.notes, fmt.Sprintf("%s: %v", path, err))
		}
		if k.public != nil {
			keys = append(keys, k)
		}
	}
	return keys
}

// readKey reads a private key; with an error there may be its public half.
func readKey(path string) (candidate, error) {
	k := candidate{from: path}
	content, err := os.ReadFile(path)
	if err != nil {
		k.public = readPublic(path + ".pub")
		return k, bare(err)
	}
	k.signer, err = ssh.ParsePrivateKey(content)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case err == nil:
		k.public = k.signer.PublicKey()
		return k, nil
	case errors.As(err, &encrypted):
		if k.public = encrypted.PublicKey; k.public == nil {
			k.public = readPublic(path + ".pub")
		}
		return k, fmt.Errorf("encrypted, give it to the ssh-agent: ssh-add %s", path)
	}
	if k.public = parsePublic(content); k.public != nil {
		return k, errors.New("a public key, whose private half is not in the ssh-agent")
	}
	k.public = readPublic(path + ".pub")
	return k, fmt.Errorf("%s (a key of a token works through the ssh-agent)", strings.TrimPrefix(err.Error(), "ssh: "))
}

func readPublic(path string) ssh.PublicKey {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return parsePublic(content)
}

func parsePublic(content []byte) ssh.PublicKey {
	key, _, _, _, err := ssh.ParseAuthorizedKey(content)
	if err != nil {
		return nil
	}
	return key
}

// bare is the error below the path, which is named already.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
