package features

import "bytes"

// shellEffects are commands whose effect their name tells. What is not listed
// executes a program: Run. cd and its like change nothing that outlives the call.
var shellEffects = effectsOf(
	`cat ls grep egrep fgrep rg ag ack find fd head tail wc sed awk gawk less more file stat tree pwd echo printf
	which type whereis diff cmp comm du df printenv ps id whoami date sort uniq cut tr nl tac rev fold paste join
	seq xxd od hexdump strings test [ [[ cd pushd popd true false man help history jq column md5sum sha1sum
	sha256sum readlink realpath basename dirname sleep wait set unset export local declare read return exit
	break continue shift : uname hostname nproc free uptime top lsof zcat zgrep`,
	`rm mv cp touch mkdir rmdir ln chmod chown patch install truncate dd kill pkill killall apply_patch rsync
	unzip shred`)

// First arguments with which a tool of many parts only looks, and with which a
// package tool runs the project's own scripts.
var (
	gitReading = setOf(`diff log show status grep blame branch ls-files rev-parse describe cat-file shortlog
		reflog ls-tree remote config rev-list merge-base name-rev show-ref for-each-ref check-ignore help version`)
	packageReading = setOf("list show freeze check info view search ls outdated policy config --version -V help")
	packageRunning = setOf("test t run start exec")
)

// prefixes are words before a command that do not change what it is; wrappers
// among them take options of their own.
var (
	prefixes = setOf(`sudo time exec env timeout then do else elif if while until done fi esac nohup nice stdbuf
		command builtin ! { }`)
	wrappers = setOf("timeout sudo nice env stdbuf")
	unlisted = setOf("for case function select")
)

// effect tells what the script does: Write where any of its commands writes,
// else Run where any executes a program, else Read.
func (s *script) effect() Effect {
	all := Read
	for _, c := range s.commands {
		switch s.commandEffect(c) {
		case Write:
			return Write
		case Run:
			all = Run
		}
	}
	return all
}

func (s *script) commandEffect(c command) Effect {
	if c.writes {
		return Write
	}
	args := s.args(c)
	if len(args) == 0 {
		return Read
	}
	return s.wordsEffect(args)
}

// args returns the command's words from its name on: keywords, wrappers and
// assignments before it are left out.
func (s *script) args(c command) []part {
	words := s.words[c.first:c.last]
	for len(words) > 0 {
		w := s.bytes(words[0])
		switch {
		case assigns(w):
		case unlisted[string(w)]:
			return nil
		case !prefixes[string(w)]:
			return words
		case wrappers[string(w)]:
			for len(words) > 1 && (s.src[words[1].from] == '-' || isDigit(s.src[words[1].from])) {
				words = words[1:]
			}
		}
		words = words[1:]
	}
	return nil
}

// wordsEffect judges a command by its name and arguments.
func (s *script) wordsEffect(args []part) Effect {
	name := s.name(args)
	switch string(name) {
	case "git":
		return s.gitEffect(args)
	case "pip", "pip3", "npm", "conda", "apt", "apt-get":
		return s.packageEffect(args)
	case "sed", "perl", "awk", "gawk", "sort", "yq":
		if s.inPlace(name, args[1:]) {
			return Write
		}
	case "tee":
		for _, a := range args[1:] {
			if w := s.bytes(a); len(w) > 0 && w[0] != '-' && !bytes.HasPrefix(w, []byte("/dev/")) {
				return Write
			}
		}
		return Read
	case "find", "xargs":
		return s.nestedEffect(name, args[1:])
	}
	if e, ok := shellEffects[string(name)]; ok {
		return e
	}
	return Run
}

func (s *script) packageEffect(args []part) Effect {
	switch {
	case len(args) == 1:
		return Read
	case packageReading[string(s.bytes(args[1]))]:
		return Read
	case packageRunning[string(s.bytes(args[1]))]:
		return Run
	}
	return Write
}

// name returns the last element of the command's path.
func (s *script) name(args []part) []byte {
	w := s.bytes(args[0])
	return w[bytes.LastIndexByte(w, '/')+1:]
}

// inPlace reports whether an editor of streams rewrites its file.
func (s *script) inPlace(name []byte, args []part) bool {
	flag, cluster := byte('i'), "nrEsuzplae0"
	if string(name) == "sort" {
		flag, cluster = 'o', "nrubfk"
	}
	for _, a := range args {
		w := s.bytes(a)
		if bytes.HasPrefix(w, []byte("--in-place")) || bytes.HasPrefix(w, []byte("--output")) {
			return true
		}
		if len(w) < 2 || w[0] != '-' || w[1] == '-' {
			continue
		}
		for _, b := range w[1:] {
			if b == flag {
				return true
			}
			if bytes.IndexByte([]byte(cluster), b) < 0 {
				break
			}
		}
	}
	return false
}

// nestedEffect judges find and xargs by the command they hand their input to.
func (s *script) nestedEffect(name []byte, args []part) Effect {
	for i, a := range args {
		w := s.bytes(a)
		switch {
		case string(w) == "-delete", bytes.HasPrefix(w, []byte("-fprint")):
			return Write
		case string(w) == "-exec", string(w) == "-execdir", string(w) == "-ok":
			if i+1 < len(args) {
				return s.wordsEffect(args[i+1:])
			}
		case string(name) == "xargs" && len(w) > 0 && w[0] != '-' && w[0] != '{' && !isDigit(w[0]):
			return s.wordsEffect(args[i:])
		}
	}
	return Read
}

// assigns reports whether the word is an assignment such as PATH=/bin.
func assigns(w []byte) bool {
	i := bytes.IndexByte(w, '=')
	if i <= 0 || isDigit(w[0]) {
		return false
	}
	for _, b := range w[:i] {
		if !isWord(b) {
			return false
		}
	}
	return true
}
