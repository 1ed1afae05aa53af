package actions

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// key returns a signer whose seed is 32 times one byte.
func key(t testing.TB, seed byte) Signer {
	t.Helper()
	s, err := GenerateSigner(bytes.NewReader(bytes.Repeat([]byte{seed}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const subject = "lw.ctl.default.support.r1"

// What is signed is built here by hand, as a worker in another language would.
func TestSignatureFormat(t *testing.T) {
	s := key(t, 1)
	payload := []byte(`{"v":1}`)
	message := "\x00\x00\x00\x10loopwatch-ctl-v1" + "\x00\x00\x00\x19" + subject + "\x00\x00\x00\x07" + `{"v":1}`
	id, sig, _ := strings.Cut(s.Sign(DomainControl, subject, payload), ".")
	raw, err := encoding.DecodeString(sig)
	if err != nil || !ed25519.Verify(s.Public().key, []byte(message), raw) {
		t.Errorf("signature %q is not over %q (%v)", sig, message, err)
	}
	if want := "34750f98"; id != want {
		t.Errorf("key id %s, want %s: the first 8 hex digits of the SHA-256 of %s", id, want, hex.EncodeToString(s.Public().key))
	}
}

func TestVerify(t *testing.T) {
	ours, theirs, old := key(t, 1), key(t, 2), key(t, 3)
	ring := NewKeyRing(ours.Public(), PublicKey{}, old.Public())
	payload := []byte(`{"v":1}`)
	good := ours.Sign(DomainControl, subject, payload)
	id, sig, _ := strings.Cut(good, ".")
	tests := []struct {
		name, domain, subject, payload, header string
		want                                   error
	}{
		{"as it was signed", DomainControl, subject, `{"v":1}`, good, nil},
		{"by a key that is being replaced", DomainControl, subject, `{"v":1}`, old.Sign(DomainControl, subject, payload), nil},
		{"by a stranger", DomainControl, subject, `{"v":1}`, theirs.Sign(DomainControl, subject, payload), ErrSignature},
		{"a stranger's under our id", DomainControl, subject, `{"v":1}`, id + theirs.Sign(DomainControl, subject, payload)[8:], ErrSignature},
		{"ours under another id", DomainControl, subject, `{"v":1}`, theirs.KeyID() + "." + sig, ErrSignature},
		{"another payload", DomainControl, subject, `{"v":2}`, good, ErrSignature},
		{"white space added", DomainControl, subject, `{"v":1} `, good, ErrSignature},
		{"another run's subject", DomainControl, "lw.ctl.default.support.r2", `{"v":1}`, good, ErrSignature},
		{"a byte moved from subject to payload", DomainControl, subject[:len(subject)-1], `1{"v":1}`, good, ErrSignature},
		{"a record as a control", DomainControl, subject, `{"v":1}`, ours.Sign(DomainRecord, subject, payload), ErrSignature},
		{"no header", DomainControl, subject, `{"v":1}`, "", ErrSignature},
		{"no key id", DomainControl, subject, `{"v":1}`, sig, ErrSignature},
		{"padding", DomainControl, subject, `{"v":1}`, good + "==", ErrSignature},
		{"half a signature", DomainControl, subject, `{"v":1}`, good[:50], ErrSignature},
		{"a line end in it", DomainControl, subject, `{"v":1}`, good[:40] + "\n" + good[40:], ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := ring.Verify(tt.domain, tt.subject, []byte(tt.payload), tt.header)
			if !errors.Is(err, tt.want) {
				t.Errorf("Verify = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestNobodyIsTrustedByDefault(t *testing.T) {
	var none Signer
	if none.Sign(DomainControl, subject, nil) != "" || none.KeyID() != "" || none.Public().ID() != "" || none.Secret() != "" {
		t.Error("the zero Signer signs")
	}
	var ring KeyRing
	if !ring.Empty() || !NewKeyRing(none.Public()).Empty() {
		t.Error("the zero KeyRing is not empty")
	}
	if err := ring.Verify(DomainControl, subject, nil, key(t, 1).Sign(DomainControl, subject, nil)); !errors.Is(err, ErrSignature) {
		t.Errorf("the zero KeyRing trusts: %v", err)
	}
}

func TestKeysAsText(t *testing.T) {
	s := key(t, 7)
	back, err := ParseSigner("# control key of the test\n\n  " + s.Secret() + "  \r\n")
	if err != nil || back.Secret() != s.Secret() || back.KeyID() != s.KeyID() {
		t.Errorf("ParseSigner: %v", err)
	}
	pub, err := ParsePublicKey(s.Public().String() + "\n")
	if err != nil || pub.ID() != s.KeyID() || pub.String() != s.Public().String() {
		t.Errorf("ParsePublicKey: %v", err)
	}
	tests := []struct{ name, text string }{
		{"empty", ""},
		{"only a comment", "# nothing"},
		{"the wrong kind", s.Public().String()},
		{"no prefix", s.Secret()[len(secretPrefix):]},
		{"too short", s.Secret()[:20]},
		{"two keys", s.Secret() + "\n" + s.Secret()},
		{"not base64url", secretPrefix + strings.Repeat("+", 43)},
		{"stray bits", secretPrefix + strings.Repeat("A", 42) + "B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseSigner(tt.text)
			if err == nil {
				t.Error("was read")
			} else if strings.Contains(err.Error(), s.Secret()[10:20]) {
				t.Errorf("the fault shows the key: %v", err)
			}
		})
	}
}

func TestKeysDoNotShowThemselves(t *testing.T) {
	s := key(t, 7)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if out := fmt.Sprintf(verb, s); strings.Contains(out, s.Secret()[10:]) || out != "signer "+s.KeyID() {
			t.Errorf("%s prints %s", verb, out)
		}
	}
}

func TestGenerateSignerNeedsEnoughRandomness(t *testing.T) {
	if _, err := GenerateSigner(strings.NewReader("short")); err == nil {
		t.Error("a key was made of five bytes")
	}
	if diff := cmp.Diff(key(t, 1).Secret(), key(t, 1).Secret()); diff != "" {
		t.Errorf("the same bytes give different keys:\n%s", diff)
	}
	if key(t, 1).Secret() == key(t, 2).Secret() {
		t.Error("different bytes give the same key")
	}
}

func FuzzVerify(f *testing.F) {
	s := key(f, 1)
	ring := NewKeyRing(s.Public())
	payload := []byte(`{"v":1}`)
	good := s.Sign(DomainControl, subject, payload)
	f.Add(good, subject, payload)
	f.Add("", "", []byte(nil))
	f.Add(good[:8]+"."+strings.Repeat("A", 86), subject, payload)
	f.Fuzz(func(t *testing.T, header, on string, body []byte) {
		genuine := header == good && on == subject && bytes.Equal(body, payload)
		if (ring.Verify(DomainControl, on, body, header) == nil) != genuine {
			t.Errorf("Verify(%q, %q, %q) does not say %v", on, body, header, genuine)
		}
	})
}
