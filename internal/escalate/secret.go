package escalate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Secret is the key of one receiver's webhooks, 24 to 64 bytes, as the Standard
// Webhooks scheme has it. It prints as nothing.
type Secret struct{ key []byte }

// String hides the key.
func (Secret) String() string { return "whsec_…" }

// GoString hides the key.
func (s Secret) GoString() string { return s.String() }

// ParseSecret reads whsec_ and base64.
func ParseSecret(text string) (Secret, error) {
	body, ok := strings.CutPrefix(text, "whsec_")
	if !ok {
		return Secret{}, errors.New("must begin with whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return Secret{}, errors.New("must be base64 behind whsec_")
	}
	if len(key) < 24 || len(key) > 64 {
		return Secret{}, fmt.Errorf("has %d bytes, must have 24 to 64", len(key))
	}
	return Secret{key}, nil
}

// ReadSecrets reads a file with one secret a line, the newest first; empty lines
// and those that begin with # are passed over. All faults are named at once,
// never with the text. The file must not be open to all.
func ReadSecrets(path string) ([]Secret, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf("read secrets %s: mode %o lets everybody read it: chmod 600 it", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	var out []Secret
	var faults []error
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := ParseSecret(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("read secrets %s:%d: %w", path, i+1, err))
			continue
		}
		out = append(out, s)
	}
	if len(out) == 0 && len(faults) == 0 {
		return nil, fmt.Errorf("read secrets %s: holds none: one whsec_… a line", path)
	}
	return out, errors.Join(faults...)
}

// sign returns the value of webhook-signature: one signature a secret, so that
// the receiver may know either while one replaces another.
func sign(secrets []Secret, id string, at time.Time, body []byte) string {
	var out []string
	for _, s := range secrets {
		h := hmac.New(sha256.New, s.key)
		h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		h.Write(body)
		out = append(out, "v1,"+base64.StdEncoding.EncodeToString(h.Sum(nil)))
	}
	return strings.Join(out, " ")
}
