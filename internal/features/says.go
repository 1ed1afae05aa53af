package features

import "bytes"

// negativeWords are words with which an answer says no.
var negativeWords = setOf(`no not none nothing zero 0 empty without error errors exception invalid wrong fail failed
	failure fails cannot unable denied refused rejected missing unknown unexpected must`)

// errorFirst are words that an error text begins with.
var (
	errorFirst = setOf("error exception traceback failed failure invalid fatal wrong")
	tooMuch    = setOf("large long many big")
)

// errorAnywhere reports whether a word makes a text an error wherever it stands
// near its beginning. A switch is asked about many words faster than a set.
func errorAnywhere(w []byte) bool {
	switch string(w) {
	case "cannot", "denied", "refused", "invalid", "wrong":
		return true
	}
	return false
}

// errorPair returns the words that make a text an error right after this one.
func errorPair(w []byte) string {
	switch string(w) {
	case "not":
		return " found applied "
	case "no":
		return " such "
	case "could":
		return " not "
	case "unable":
		return " to "
	case "you":
		return " must "
	}
	return ""
}

// wordReader reads the words of a text one by one, lower-cased.
type wordReader struct {
	text     []byte
	from, to int  // the word at hand
	adjacent bool // one blank lies between it and the word before
	buf      [16]byte
}

// next returns the next word cut at 16 bytes, nil at the end. It is good until the call after.
func (r *wordReader) next() []byte {
	i := r.to
	for i < len(r.text) && wordSize(r.text, i) == 0 {
		i++
	}
	if i == len(r.text) {
		return nil
	}
	r.adjacent = r.to > 0 && i == r.to+1 && r.text[r.to] == ' '
	r.from, r.to = i, wordRun(r.text, i)
	n := copy(r.buf[:], r.text[r.from:r.to])
	for k, b := range r.buf[:n] {
		r.buf[k] = lowerByte(b)
	}
	return r.buf[:n]
}

// followedBy reports whether text continues with s right after the word at hand.
func (r *wordReader) followedBy(s string) bool { return bytes.HasPrefix(r.text[r.to:], []byte(s)) }

// saysNo reports whether the text says no, nothing, empty or error.
func saysNo(text []byte) bool {
	r := wordReader{text: text}
	too := false
	for w := r.next(); w != nil; w = r.next() {
		if negativeWords[string(w)] || too && r.adjacent && tooMuch[string(w)] {
			return true
		}
		switch string(w) {
		case "can":
			if r.followedBy("'t") || r.followedBy("’t") {
				return true
			}
		case "doesn":
			if r.followedBy("'t exist") || r.followedBy("’t exist") {
				return true
			}
		}
		too = string(w) == "too"
	}
	return false
}

// readsAsError reports whether a text whose beginning this is tells of an error.
func readsAsError(beginning []byte) bool {
	r := wordReader{text: beginning}
	follow := ""
	for i := 0; ; i++ {
		w := r.next()
		if w == nil {
			return false
		}
		if i == 0 && errorFirst[string(w)] || errorAnywhere(w) {
			return true
		}
		if follow != "" && r.adjacent && inList(follow, w) {
			return true
		}
		follow = errorPair(w)
	}
}

// inList reports whether w stands in a list of words with blanks around each.
func inList(list string, w []byte) bool {
	for i := 0; i+len(w)+2 <= len(list); i++ {
		if list[i] == ' ' && list[i+1:i+1+len(w)] == string(w) && list[i+1+len(w)] == ' ' {
			return true
		}
	}
	return false
}

// saysNothing reports whether a text is white space, zeros, or an empty value.
func saysNothing(text []byte) bool {
	text = bytes.Trim(text, " \n\r\t0")
	switch string(text) {
	case "", "[]", "{}", "null", "None", "none":
		return true
	}
	return false
}
