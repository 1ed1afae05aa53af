package features

import "bytes"

// gitEffect judges a git command by its verb.
func (s *script) gitEffect(args []part) Effect {
	verb, rest := s.gitVerb(args)
	switch {
	case verb == nil, gitReading[string(verb)]:
		return Read
	case string(verb) == "stash" && len(rest) > 0:
		if w := string(s.bytes(rest[0])); w == "list" || w == "show" {
			return Read
		}
	case string(verb) == "apply" && len(rest) > 0:
		if w := string(s.bytes(rest[0])); w == "--stat" || w == "--check" || w == "--numstat" {
			return Read
		}
	}
	return Write
}

// gitVerb returns git's verb and what follows it; nil where there is none.
func (s *script) gitVerb(args []part) ([]byte, []part) {
	for i := 1; i < len(args); i++ {
		w := s.bytes(args[i])
		switch {
		case string(w) == "-C" || string(w) == "-c":
			i++
		case len(w) > 0 && w[0] != '-':
			return w, args[i+1:]
		}
	}
	return nil, nil
}

// restored returns what the script puts back to an earlier state, as it is
// named there: a file, a branch, or "*" for everything. Nil means nothing.
func (s *script) restored() []byte {
	for _, c := range s.commands {
		args := s.args(c)
		if len(args) == 0 || !s.restores(args) {
			continue
		}
		for i := len(args) - 1; i > 0; i-- {
			w := s.bytes(args[i])
			if len(w) == 0 || w[0] == '-' || restoring[string(w)] {
				continue
			}
			return bytes.TrimLeft(w, "./")
		}
		return []byte("*")
	}
	return nil
}

// restoring are words of a restoring command that are not its target.
var restoring = setOf("HEAD git checkout restore stash reset apply cp mv")

func (s *script) restores(args []part) bool {
	switch string(s.name(args)) {
	case "git":
		return s.gitRestores(args)
	case "patch":
		return s.anyOf(args[1:], reversing)
	case "cp", "mv":
		for i := 1; i < len(args)-1; i++ {
			if w := s.bytes(args[i]); len(w) > 0 && w[0] != '-' {
				return isBackup(w)
			}
		}
	}
	return false
}

// Flags that make a git verb something other, or at all, a restore.
var (
	branching = setOf("-b -B --orphan --help")
	listing   = setOf("list show")
	hard      = setOf("--hard")
	reversing = setOf("-R --reverse")
)

func (s *script) gitRestores(args []part) bool {
	verb, rest := s.gitVerb(args)
	switch string(verb) {
	case "checkout":
		return !s.anyOf(rest, branching)
	case "restore":
		return true
	case "stash":
		return !s.anyOf(rest, listing)
	case "reset":
		return s.anyOf(rest, hard)
	case "apply":
		return s.anyOf(rest, reversing)
	}
	return false
}

func (s *script) anyOf(args []part, words wordSet) bool {
	for _, a := range args {
		if words[string(s.bytes(a))] {
			return true
		}
	}
	return false
}

// isBackup reports whether a file's name says that it is a copy kept for putting back.
func isBackup(name []byte) bool {
	for _, mark := range [...]string{".bak", ".orig", "backup", ".old", ".save"} {
		if bytes.Contains(name, []byte(mark)) {
			return true
		}
	}
	return false
}
