package worker

import (
	"math"
	"strings"
)

// shapes are secrets that are told by how they begin: then come at least least
// characters of a token.
var shapes = []struct {
	prefix string
	least  int
}{
	{"AKIA", 16}, {"ASIA", 16}, {"ABIA", 16}, {"ACCA", 16}, // AWS
	{"ghp_", 30}, {"gho_", 30}, {"ghu_", 30}, {"ghs_", 30}, {"ghr_", 30}, {"github_pat_", 22}, // GitHub
	{"glpat-", 20}, {"gldt-", 20}, // GitLab
	{"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xoxe-", 10}, {"xapp-", 10}, // Slack
	{"sk-", 18}, {"sk_live_", 10}, {"sk_test_", 10}, {"rk_live_", 10}, {"pk_live_", 10}, {"whsec_", 20}, // OpenAI, Anthropic, Stripe
	{"AIza", 30}, {"ya29.", 20}, {"GOCSPX-", 20}, // Google
	{"npm_", 30}, {"pypi-", 30}, {"hf_", 30}, {"dop_v1_", 30}, {"SG.", 30}, {"shpat_", 30},
}

// shapeAt returns the length of the secret that begins s, 0 where none does.
func shapeAt(s string) int {
	switch {
	case strings.HasPrefix(s, "eyJ"):
		return jwtAt(s)
	case strings.HasPrefix(s, "-----BEGIN "):
		return pemAt(s)
	}
	for _, x := range shapes {
		if s[0] == x.prefix[0] && strings.HasPrefix(s, x.prefix) {
			if n := tokenLen(s[len(x.prefix):]); n >= x.least {
				return len(x.prefix) + n
			}
		}
	}
	return 0
}

// jwtAt is three parts of base64url, the first one a JSON object; the last may
// be missing.
func jwtAt(s string) int {
	head := base64Len(s)
	if head < 10 || len(s) <= head || s[head] != '.' {
		return 0
	}
	body := base64Len(s[head+1:])
	if body < 10 {
		return 0
	}
	n := head + 1 + body
	if len(s) > n && s[n] == '.' {
		n += 1 + base64Len(s[n+1:])
	}
	return n
}

// pemAt is a private key from its first line to its last, or to the end.
func pemAt(s string) int {
	line, _, _ := strings.Cut(s[:min(len(s), 64)], "\n")
	if !strings.Contains(line, "PRIVATE KEY") {
		return 0
	}
	const end = "-----END "
	i := strings.Index(s, end)
	if i < 0 {
		return len(s)
	}
	if j := strings.Index(s[i+len(end):], "-----"); j >= 0 && j < 64 {
		return i + len(end) + j + 5
	}
	return i + len(end)
}

// tokenLen is how many characters of a token s begins with.
func tokenLen(s string) int {
	for i := range len(s) {
		if c := s[i]; !letter(c) && !digit(c) && c != '-' && c != '_' && c != '.' {
			return i
		}
	}
	return len(s)
}

func base64Len(s string) int {
	for i := range len(s) {
		if c := s[i]; !letter(c) && !digit(c) && c != '-' && c != '_' {
			return i
		}
	}
	return len(s)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// random reports whether a token looks like chosen by a machine: long, of
// letters and digits, hardly a character twice.
func random(s string) bool {
	if len(s) < 16 {
		return false
	}
	var count [256]int
	letters, digits := false, false
	for i := range len(s) {
		count[s[i]]++
		letters, digits = letters || letter(s[i]), digits || digit(s[i])
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return letters && digits && bits >= 3
}
