package events

import (
	"crypto/sha256"
	"encoding/hex"
)

// The identity of an event that names neither; the task defaults to the run.
const (
	DefaultTenant = "default"
	DefaultAgent  = "agent"
)

// MaxName is the longest tenant, agent, task or run in bytes.
const MaxName = 128

// keptName is how much of an escaped name stays before the hash of a long one.
const keptName = 110

// ValidName reports whether s can be a tenant, agent, task, run or check
// token: one subject token of 1 to MaxName bytes from A–Z a–z 0–9 = - _, whose
// first byte is not _ (those are ours).
func ValidName(s string) bool {
	if s == "" || len(s) > MaxName || s[0] == '_' {
		return false
	}
	for i := range len(s) {
		if !plain(s[i]) && s[i] != '=' {
			return false
		}
	}
	return true
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// EscapeName turns any other system's name into a valid one: each byte that is
// not plain, = itself and a leading _ become =XX. A result over MaxName bytes
// keeps its first 110 (never half an escape), then - and 16 hex digits of the
// SHA-256 of s. Different names stay different; the empty name stays empty and
// is not valid.
func EscapeName(s string) string {
	const hexDigits = "0123456789ABCDEF"
	escaped := make([]byte, 0, len(s)+16)
	cut := 0 // where a long result can be cut
	for i := range len(s) {
		if plain(s[i]) && (i > 0 || s[i] != '_') {
			escaped = append(escaped, s[i])
		} else {
			escaped = append(escaped, '=', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		}
		if len(escaped) <= keptName {
			cut = len(escaped)
		}
	}
	if len(escaped) <= MaxName {
		return string(escaped)
	}
	sum := sha256.Sum256([]byte(s))
	return string(escaped[:cut]) + "-" + hex.EncodeToString(sum[:8])
}

// UnescapeName reverses EscapeName, but for names that were cut: those come
// back as cut, with their hash. It reports false where = is not followed by
// two hex digits.
func UnescapeName(name string) (string, bool) {
	s := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if name[i] != '=' {
			s = append(s, name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		b, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		s = append(s, b[0])
		i += 2
	}
	return string(s), true
}
