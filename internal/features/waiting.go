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
