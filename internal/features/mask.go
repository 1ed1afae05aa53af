package features

import "unicode/utf8"

// Bounds of what is looked at: a text is masked up to maxMasked bytes and read
// for its meaning up to maxRead; what lies beyond only enters its hash.
const (
	maxMasked = 64 << 10
	maxRead   = 16 << 10
)

// mask appends text to out with its volatile parts replaced: times, durations,
// UUIDs, long hexadecimal ids, process, thread, session, request, message and
// trace ids, and the values of the volatile fields. Masking twice changes nothing.
func mask(out, text []byte, volatile []string) []byte {
	copied := 0
	for i := 0; i < len(text); {
		if b := text[i]; !isWord(b) && (b < utf8.RuneSelf || wordSize(text, i) == 0) {
			i++ // the rest of a sign of several bytes begins no word either
			continue
		}
		// Here a word begins; whole words are passed at once.
		from, end, mark := i, i, ""
		switch b := text[i]; {
		case len(volatile) > 0 && volatileField(text[i:], volatile) > 0:
			from, end = volatileValue(text, i+volatileField(text[i:], volatile))
			mark = "<v>"
		case isDigit(b):
			end, mark = maskNumber(text, i)
		case isHex(b):
			end, mark = maskID(text, i)
		}
		if mark == "" && classes[text[i]]&classIDWord != 0 {
			from, end = maskNamed(text, i)
			mark = "<id>"
		}
		if end > from {
			out = append(append(out, text[copied:from]...), mark...)
			i, copied = end, end
			continue
		}
		i = wordRun(text, i)
	}
	return append(out, text[copied:]...)
}

// maskNumber returns the end of the volatile thing that begins with the digit at i, and its mark.
func maskNumber(text []byte, i int) (int, string) {
	if end := timestampEnd(text, i); end > i {
		return end, "<ts>"
	}
	if end, mark := maskID(text, i); end > i {
		return end, mark
	}
	if end := durationEnd(text, i); end > i {
		return end, "<dur>"
	}
	return i, ""
}

// maskID finds a UUID, 0x… or at least ten hexadecimal digits with both letters and digits.
func maskID(text []byte, i int) (int, string) {
	end := wordRun(text, i)
	if end-i == 8 {
		if shaped(text[i:], "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh") && !wordAt(text, i+36) {
			return i + 36, "<id>"
		}
		return i, ""
	}
	zeroX := end-i > 2 && text[i] == '0' && text[i+1]|0x20 == 'x'
	if end-i < 10 && !zeroX {
		return i, ""
	}
	digits, letters := false, false
	from := i
	if zeroX {
		from, digits, letters = i+2, true, true
	}
	for _, b := range text[from:end] {
		if !isHex(b) {
			return i, ""
		}
		digits = digits || isDigit(b)
		letters = letters || !isDigit(b)
	}
	if digits && letters {
		return end, "<id>"
	}
	return i, ""
}

// shaped reports whether text begins with the shape: d is a digit, h a
// hexadecimal digit, T a T or a blank, everything else itself.
func shaped(text []byte, shape string) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		b := text[i]
		switch shape[i] {
		case 'd':
			if !isDigit(b) {
				return false
			}
		case 'h':
			if !isHex(b) {
				return false
			}
		case 'T':
			if b != 'T' && b != ' ' {
				return false
			}
		default:
			if b != shape[i] {
				return false
			}
		}
	}
	return true
}

// timestampEnd returns the end of the date with time, or the time with seconds, at i.
func timestampEnd(text []byte, i int) int {
	t := text[i:]
	switch {
	case shaped(t, "dddd-dd-ddTdd:dd"):
		end := i + 16
		if shaped(text[end:], ":dd") {
			end += 3
		}
		end = fractionEnd(text, end)
		return zoneEnd(text, end)
	case shaped(t, "dd:dd:dd"):
		end := fractionEnd(text, i+8)
		if !wordAt(text, end) {
			return end
		}
	}
	return i
}

func fractionEnd(text []byte, i int) int {
	if i+1 < len(text) && (text[i] == '.' || text[i] == ',') && isDigit(text[i+1]) {
		return skipDigits(text, i+1)
	}
	return i
}

func zoneEnd(text []byte, i int) int {
	t := text[i:]
	switch {
	case len(t) > 0 && t[0] == 'Z':
		return i + 1
	case shaped(t, "+dd:dd"), shaped(t, "-dd:dd"):
		return i + 6
	case shaped(t, "+dddd"), shaped(t, "-dddd"):
		return i + 5
	}
	return i
}

// durationUnits are what may follow the number of a duration.
var durationUnits = setOf("ms us µs ns s sec secs second seconds minute minutes")

// durationEnd returns the end of a duration such as 1.5s, 20 ms or 3m20s at i.
func durationEnd(text []byte, i int) int {
	end := skipDigits(text, i)
	if end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		end = skipDigits(text, end+1)
	}
	unit := end
	if unit < len(text) && isBlank(text[unit]) {
		unit++
	}
	stop := wordRun(text, unit)
	word := text[unit:stop]
	if durationUnits[string(word)] {
		return stop
	}
	// 3m20s
	if n := len(word); n > 2 && word[0] == 'm' && word[n-1] == 's' && skipDigits(word, 1) == n-1 {
		return stop
	}
	return i
}
