package features

import "bytes"

// sleeps reports whether the script sleeps for a given time anywhere, and
// whether it begins with that.
func (s *script) sleeps() (anywhere, first bool) {
	for i, c := range s.commands {
		args := s.args(c)
		if len(args) > 1 && string(s.name(args)) == "sleep" && isDigit(s.src[args[1].from]) {
			anywhere = true
			first = first || i == 0
		}
	}
	return anywhere, first
}

// polls reports whether the script looks at something that changes by itself:
// a word for it in the name or arguments of a command that reads no pipe. What
// version control calls status does not change by itself.
func (s *script) polls() bool {
	for _, c := range s.commands {
		args := s.args(c)
		if c.piped || len(args) == 0 || string(s.name(args)) == "git" {
			continue
		}
		for _, a := range args {
			if hasWord(s.bytes(a), pollWords) {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether one of the words stands in b between signs or digits.
func hasWord(b []byte, words wordSet) bool {
	for len(b) > 0 {
		end := bytes.IndexFunc(b, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			return words[string(b)]
		}
		if end > 0 && words[string(b[:end])] {
			return true
		}
		b = b[end+1:]
	}
	return false
}

// echoes returns hashes of the argument values an error text may repeat: short
// strings of at most three words.
func (x *Extractor) echoes() []Hash {
	var found []Hash
	for _, m := range x.members {
		if m.raw[0] != '"' || len(m.raw) > maxEcho+2 || len(found) == maxArgs {
			continue
		}
		var ok bool
		if x.arg, _, ok = unquote(x.arg[:0], m.raw, 0); !ok {
			continue
		}
		b := bytesCase(collapse(x.arg, false), 'A', bytes.ToLower)
		if len(b) >= minEcho && bytes.Count(b, []byte(" ")) < maxEchoWords {
			found = append(found, x.sum(domainEcho, b))
		}
	}
	return found
}

// Bounds of an echo: bytes and words.
const (
	minEcho      = 3
	maxEcho      = 64
	maxEchoWords = 3
)
