package hostkeys

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"os"

	"golang.org/x/crypto/ssh"
)

// readRevoked reads lists of revoked keys, one public key a line.
func readRevoked(files []string) ([]entry, error) {
	var entries []entry
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil && bytes.HasPrefix(content, []byte("SSHKRL\n\x00")) {
			err = errors.New("a list in ssh-keygen's own form, which mpf does not read")
		}
		if err != nil {
			return nil, &RevocationError{file, bare(err)}
		}
		for i, text := range bytes.Split(content, []byte("\n")) {
			if key, _, _, _, err := ssh.ParseAuthorizedKey(text); err == nil {
				entries = append(entries, entry{marker: "revoked", key: key, file: file, line: i + 1})
			}
		}
	}
	return entries, nil
}

// bare is the error below the path, which is named already.
func bare(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// checkSize refuses an RSA key that is too short.
func (c Checker) checkSize(key ssh.PublicKey) error {
	if bits := RSABits(key); bits > 0 && bits < c.MinRSA {
		return &SizeError{c, key, bits}
	}
	return nil
}

// RSABits is the size of an RSA key, or of that in a certificate; 0 of others.
func RSABits(key ssh.PublicKey) int {
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	k, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return 0
	}
	public, ok := k.CryptoPublicKey().(*rsa.PublicKey)
	if !ok {
		return 0
	}
	return public.N.BitLen()
}
