package actions

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The text forms of keys, one word each: the prefix, then the 32 bytes of the
// seed or of the public key in base64url without padding. White space around
// it, and lines that begin with #, are ignored.
const (
	secretPrefix = "lwsk1."
	publicPrefix = "lwpk1."
)

// GenerateSigner makes a signer from 32 bytes of a random source; the same
// bytes give the same key.
func GenerateSigner(random io.Reader) (Signer, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return Signer{}, fmt.Errorf("generate key: %w", err)
	}
	return signer(seed), nil
}

// ParseSigner reads the text form of a secret key.
func ParseSigner(text string) (Signer, error) {
	seed, err := keyBytes(text, secretPrefix)
	if err != nil {
		return Signer{}, fmt.Errorf("read secret key: %w", err)
	}
	return signer(seed), nil
}

// Secret returns the text form of the signer's key. Whoever has it can speak
// to every worker that trusts it.
func (s Signer) Secret() string {
	if s.key == nil {
		return ""
	}
	return secretPrefix + encoding.EncodeToString(s.key.Seed())
}

// String hides the key.
func (s Signer) String() string { return "signer " + s.id }

// GoString hides the key.
func (s Signer) GoString() string { return s.String() }

func signer(seed []byte) Signer {
	key := ed25519.NewKeyFromSeed(seed)
	return Signer{key: key, id: keyID(key.Public().(ed25519.PublicKey))}
}

// PublicKey verifies what its signer signed. The zero PublicKey verifies
// nothing.
type PublicKey struct{ key ed25519.PublicKey }

// ParsePublicKey reads the text form of a public key.
func ParsePublicKey(text string) (PublicKey, error) {
	raw, err := keyBytes(text, publicPrefix)
	if err != nil {
		return PublicKey{}, fmt.Errorf("read public key: %w", err)
	}
	return PublicKey{raw}, nil
}

// ID returns the id by which signatures name the key: the first eight hex
// digits of its SHA-256.
func (k PublicKey) ID() string {
	if k.key == nil {
		return ""
	}
	return keyID(k.key)
}

// String returns the text form.
func (k PublicKey) String() string {
	if k.key == nil {
		return ""
	}
	return publicPrefix + encoding.EncodeToString(k.key)
}

// keyBytes reads the one key of a text.
func keyBytes(text, prefix string) ([]byte, error) {
	var word string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || l[0] == '#':
		case word != "":
			return nil, errors.New("want one key, got more")
		default:
			word = l
		}
	}
	body, ok := strings.CutPrefix(word, prefix)
	if !ok {
		return nil, fmt.Errorf("want a text that begins with %s", prefix)
	}
	raw, err := unbase64(body)
	if err != nil || len(raw) != ed25519.SeedSize {
		return nil, fmt.Errorf("want 32 bytes in base64url after %s", prefix)
	}
	return raw, nil
}
