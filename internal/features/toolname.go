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
	restoreWords = setOf("undo revert restore rollback")
	shellWords   = setOf(`bash sh zsh shell terminal console exec execute run cmd command powershell pwsh python
		ipython jupyter notebook interpreter code node script repl`)
)

// nameWords calls f with each lower-cased word of the tool's own name, in order,
// until f returns false. The own name follows the last dot, slash, colon or
// double underscore; words end at other signs and where camel case begins.
func nameWords(tool string, f func(word []byte) bool) {
	var buf [32]byte
	word := buf[:0]
	for i := ownName(tool); i <= len(tool); i++ {
		var b byte
		if i < len(tool) {
			b = tool[i]
		}
		upper := b-'A' < 26
		hump := upper && i > 0 && (tool[i-1]-'a' < 26 || isDigit(tool[i-1]))
		letter := upper || b-'a' < 26 || isDigit(b)
		if (hump || !letter) && len(word) > 0 {
			if !f(word) {
				return
			}
			word = buf[:0]
		}
		if letter && len(word) < len(buf) {
			word = append(word, lowerByte(b))
		}
	}
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
	effect := Unknown
	nameWords(tool, func(w []byte) bool {
		e, ok := verbEffects[string(w)]
		if !ok && len(w) > 1 && w[len(w)-1] == 's' && verbEffects[string(w[:len(w)-1])] == Write {
			e = Write
		}
		effect = e
		return effect == Unknown
	})
	return effect
}

// nameHas reports whether one of the words stands in the tool's name.
func nameHas(tool string, words wordSet) bool {
	found := false
	nameWords(tool, func(w []byte) bool {
		found = words[string(w)]
		return !found
	})
	return found
}

// thinks reports whether the tool's name ends in a word for thinking.
func thinks(tool string) bool {
	last := false
	nameWords(tool, func(w []byte) bool {
		last = thinkWords[string(w)]
		return true
	})
	return last
}

// nameWaits reports whether the tool's name begins with a word for waiting.
func nameWaits(tool string) bool {
	first := false
	nameWords(tool, func(w []byte) bool {
		first = waitWords[string(w)]
		return false
	})
	return first
}
