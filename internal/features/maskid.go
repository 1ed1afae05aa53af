package features

// idWords are words after which an id or number is volatile; to those marked
// true an id suffix may be added, as in request_id or "message id".
var idWords = map[string]bool{
	"pid": false, "process": true, "thread": true, "session": true, "request": true, "req": true, "trace": true,
	"message": true, "msg": true, "nonce": false, "requestid": false, "traceid": false, "messageid": false,
	"msgid": false, "sessionid": false, "processid": false, "threadid": false,
}

// bareWords name an id without any suffix; request, trace and message need theirs.
var bareWords = setOf("pid process thread session req nonce requestid traceid messageid msgid sessionid processid threadid")

// maskNamed returns where the id stands that the word at i announces, an empty
// range where it announces none. An id holds a digit.
func maskNamed(text []byte, i int) (from, end int) {
	var buf [12]byte
	n := 0
	j := i
	for ; j < len(text) && n < len(buf) && classes[text[j]]&classLetter != 0; j++ {
		buf[n] = lowerByte(text[j])
		n++
	}
	word := buf[:n]
	suffix, known := idWords[string(word)]
	if !known {
		return i, i
	}
	named := bareWords[string(word)]
	if suffix {
		if k := idSuffix(text, j); k > j {
			j, named = k, true
		}
	}
	if !named {
		return i, i
	}
	from, explicit := separatorEnd(text, j)
	if from == j && from < len(text) && !isDigit(text[from]) && text[from] != '-' && text[from] != '_' {
		return i, i
	}
	if timestampEnd(text, from) > from {
		return i, i
	}
	end, digits := from, 0
	for end < len(text) && (isWord(text[end]) || text[end] == '-') {
		if isDigit(text[end]) {
			digits++
		}
		end++
	}
	// "process 5" counts something; "process 51234" and "process: 5" name one.
	if digits == 0 || !explicit && from > j && suffix && end-from < 3 {
		return i, i
	}
	return from, end
}

// idSuffix returns the position after the id, _id, -id or " id" at j, or j.
func idSuffix(text []byte, j int) int {
	k := j
	if k < len(text) && (text[k] == '_' || text[k] == '-' || text[k] == ' ') {
		k++
	}
	if k+2 <= len(text) && text[k]|0x20 == 'i' && text[k+1]|0x20 == 'd' && !wordAt(text, k+2) {
		return k + 2
	}
	return j
}

// separatorEnd passes quotes, blanks and one of : = # between a name and its
// value; explicit tells whether there was a sign.
func separatorEnd(text []byte, j int) (end int, explicit bool) {
	quote := func() {
		if j < len(text) && (text[j] == '"' || text[j] == '\'') {
			j++
		}
	}
	blanks := func() {
		for j < len(text) && isBlank(text[j]) {
			j++
		}
	}
	quote()
	blanks()
	if j < len(text) && (text[j] == ':' || text[j] == '=' || text[j] == '#') {
		j++
		explicit = true
	}
	blanks()
	quote()
	return j, explicit
}
