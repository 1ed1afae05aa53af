package actions

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
)

// SignatureHeader carries a signature as <key id>.<base64url without padding>.
const SignatureHeader = "Lw-Sig"

// Domains keep a signature of one kind from passing for another. A verdict is
// signed as a control is; its subject tells them apart.
const (
	DomainControl  = "loopwatch-ctl-v1"
	DomainVerdict  = DomainControl
	DomainRecord   = "loopwatch-rec-v1" // withheld decisions and epochs: never a control
	DomainOperator = "loopwatch-op-v1"
)

// ErrSignature says that no trusted key signed a message. What it says must
// not be believed, so it must not even be parsed.
var ErrSignature = errors.New("no trusted key signed this")

// Signer signs with one key. The zero Signer signs nothing.
type Signer struct {
	key ed25519.PrivateKey
	id  string
}

// Sign returns the signature header of a payload for a subject: that of a
// worker's live subject, not of the log it is re-published from.
func (s Signer) Sign(domain, subject string, payload []byte) string {
	if s.key == nil {
		return ""
	}
	return s.id + "." + encoding.EncodeToString(ed25519.Sign(s.key, signed(domain, subject, payload)))
}

// KeyID returns the id of the signer's key, empty for the zero Signer.
func (s Signer) KeyID() string { return s.id }

// Public returns the key that verifies what the signer signs.
func (s Signer) Public() PublicKey {
	if s.key == nil {
		return PublicKey{}
	}
	return PublicKey{s.key.Public().(ed25519.PublicKey)}
}

// KeyRing holds the public keys that are trusted; several while one replaces
// another. The zero KeyRing trusts nobody.
type KeyRing struct{ keys []PublicKey }

// NewKeyRing returns a ring of keys; zero keys are left out.
func NewKeyRing(keys ...PublicKey) KeyRing {
	var r KeyRing
	for _, k := range keys {
		if k.key != nil {
			r.keys = append(r.keys, k)
		}
	}
	return r
}

// Empty reports whether the ring trusts nobody.
func (r KeyRing) Empty() bool { return len(r.keys) == 0 }

// Verify returns nil when a trusted key signed the payload for that subject,
// else ErrSignature.
func (r KeyRing) Verify(domain, subject string, payload []byte, header string) error {
	id, sig, ok := strings.Cut(header, ".")
	raw, err := unbase64(sig)
	if !ok || err != nil || len(raw) != ed25519.SignatureSize {
		return ErrSignature
	}
	for _, k := range r.keys {
		if k.ID() == id && ed25519.Verify(k.key, signed(domain, subject, payload), raw) {
			return nil
		}
	}
	return ErrSignature
}

// encoding refuses padding and stray bits; unbase64 refuses line ends too, so
// that a signature has one text.
var encoding = base64.RawURLEncoding.Strict()

func unbase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("line end in base64url")
	}
	return encoding.DecodeString(text)
}

// signed is what is signed: each part after its length in bytes as four bytes,
// the most significant first.
func signed(domain, subject string, payload []byte) []byte {
	out := make([]byte, 0, 12+len(domain)+len(subject)+len(payload))
	for _, part := range []string{domain, subject, string(payload)} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}

// keyID is the first eight hex digits of the SHA-256 of a public key.
func keyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:4])
}
