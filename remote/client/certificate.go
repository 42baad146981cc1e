package client

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"

	"mpf/remote/sshconfig"
)

// certificates pairs the certificates of files with the keys at hand: those
// that the configuration names, and KEY-cert.pub beside each key.
func (ids *identities) certificates(s sshconfig.Settings, held, files []candidate) []candidate {
	paths := append([]string{}, s.CertificateFiles...)
	named := len(paths)
	for _, path := range s.IdentityFiles {
		paths = append(paths, path+"-cert.pub")
	}
	var found []candidate
	for i, path := range paths {
		cert, ok := readPublic(path).(*ssh.Certificate)
		if !ok {
			if i < named {
				ids.notes = append(ids.notes, path+": not a certificate")
			}
			continue
		}
		k, err := certify(cert, path, files, held)
		if err != nil {
			ids.notes = append(ids.notes, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		found = append(found, k)
	}
	return found
}

// certify makes a candidate of a certificate and the private key that it is
// about.
func certify(cert *ssh.Certificate, path string, keys ...[]candidate) (candidate, error) {
	for _, group := range keys {
		for _, k := range group {
			if k.signer == nil || !sameKey(k.public, cert.Key) {
				continue
			}
			signer, err := ssh.NewCertSigner(cert, k.signer)
			return candidate{cert, signer, path}, err
		}
	}
	return candidate{}, errors.New("a certificate whose private key is not at hand")
}

// plain is the key below a certificate.
func plain(key ssh.PublicKey) ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.Key
	}
	return key
}

func sameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
