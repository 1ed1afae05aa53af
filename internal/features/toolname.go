package features

// verbEffects are verbs of tool names. The first one in a name decides:
// can_send_mms reads, reset_apn writes.
var verbEffects = effectsOf(
	`get read view list search find fetch show check lookup look grep cat ls open status describe query count
	calculate can is has identify locate inspect ping poll wait verify test validate explore browse scan`,
	`edit write create update insert replace delete remove apply patch move rename set add append toggle enable
	disable reset reboot restart reseat grant revoke book cancel send submit modify change exchange return refuel
	resume suspend pay make commit push save undo restore disconnect connect transfer install deploy post put
	upload clear start stop close`)

var (
	thinkWords   = setOf("think thought plan reflect note")
	waitWords    = setOf("wait sleep pause")
	pollWords    = setOf("poll polling wait waiting sleep status progress tail watch health healthz healthcheck")
	againWords   = setOf("poll polling wait waiting progress watch tail")
	restoreWords = setOf("undo revert restore rollback")
	shellWords   = setOf(`bash sh zsh shell terminal console exec execute run cmd command powershell pwsh python
		ipython jupyter notebook interpreter code node script repl`)
)

// nameReader reads the words of a tool's own name one by one, lower-cased. The
// own name follows the last dot, slash, colon or double underscore; words end at
// other signs and where camel case begins.
type nameReader struct {
	tool string
	at   int
	buf  [32]byte
}

func readName(tool string) nameReader { return nameReader{tool: tool, at: ownName(tool)} }

// next returns the next word cut at 32 bytes, nil at the end. It is good until the call after.
func (r *nameReader) next() []byte {
	word := r.buf[:0]
	for ; r.at < len(r.tool); r.at++ {
		b := r.tool[r.at]
		upper := b-'A' < 26
		letter := upper || b-'a' < 26 || isDigit(b)
		hump := upper && len(word) > 0 && (r.tool[r.at-1]-'a' < 26 || isDigit(r.tool[r.at-1]))
		if (hump || !letter) && len(word) > 0 {
			return word
		}
		if letter && len(word) < len(r.buf) {
			word = append(word, lowerByte(b))
		}
	}
	if len(word) == 0 {
		return nil
	}
	return word
}

func ownName(tool string) int {
	for i := len(tool) - 2; i >= 0; i-- {
		switch tool[i] {
		case '.', '/', ':':
			return i + 1
		case '_':
			if i > 0 && tool[i-1] == '_' {
				return i + 1
			}
		}
	}
	return 0
}

// nameEffect returns the effect that the tool's name hints at, or Unknown.
func nameEffect(tool string) Effect {
	r := readName(tool)
	for w := r.next(); w != nil; w = r.next() {
		if e, ok := verbEffects[string(w)]; ok {
			return e
		}
		if n := len(w) - 1; n > 0 && w[n] == 's' && verbEffects[string(w[:n])] == Write {
			return Write
		}
	}
	return Unknown
}

// nameHas reports whether one of the words stands in the tool's name.
func nameHas(tool string, words wordSet) bool {
	r := readName(tool)
	for w := r.next(); w != nil; w = r.next() {
		if words[string(w)] {
			return true
		}
	}
	return false
}

// thinks reports whether the tool's name ends in a word for thinking.
func thinks(tool string) bool {
	r := readName(tool)
	last := false
	for w := r.next(); w != nil; w = r.next() {
		last = thinkWords[string(w)]
	}
	return last
}

// nameWaits reports whether the tool's name begins with a word for waiting.
func nameWaits(tool string) bool {
	r := readName(tool)
	return waitWords[string(r.next())]
}
