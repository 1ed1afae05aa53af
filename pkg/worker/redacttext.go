package worker

import "strings"

// text redacts a text: what has the shape of a secret, what is given to the
// name of one (password=…, "token": "…", Authorization: Bearer …), and the
// credentials of a URL. It reads the text once.
func (x *redactor) text(s string) string {
	var out strings.Builder
	copied := 0
	replace := func(from, to int) {
		out.WriteString(s[copied:from])
		out.WriteString(x.mark(s[from:to]))
		copied = to
	}
	begins, word := true, 0 // whether a token begins at i, where the last word began
	for i := 0; i < len(s); i++ {
		c := s[i]
		if begins && (letter(c) || c == '-') {
			if n := shapeAt(s[i:]); n > 0 {
				replace(i, i+n)
				i += n - 1
				begins = false
				continue
			}
		}
		if begins && (letter(c) || digit(c)) {
			if n := tokenLen(s[i:min(len(s), i+longestToken)]); random(s[i:i+n]) && x.named(s[copied:i]) {
				replace(i, i+n)
				i += n - 1
				begins = false
				continue
			}
		}
		inWord := letter(c) || digit(c) || c == '_' || c == '-'
		if begins && inWord {
			word = i
		}
		begins = !inWord
		switch {
		case c == ':' && strings.HasPrefix(s[i:], "://"):
			if from, to := userinfo(s, i+3); to > from {
				replace(from, to)
				i = to - 1
			}
		case c == ':' || c == '=':
			if from, to := x.given(s, word, i); to > from {
				replace(from, to)
				i, begins = to-1, true
			}
		}
	}
	if copied == 0 {
		return s
	}
	out.WriteString(s[copied:])
	return out.String()
}

// longestToken bounds the tokens whose letters are counted.
const longestToken = 256

// named reports whether one of the last three words before a token is the name
// of a secret, as in: the key is 9f3a….
func (x *redactor) named(before string) bool {
	before = before[max(len(before)-64, 0):]
	words := strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(" \t\n:=,;()\"'`", r) })
	for _, w := range words[max(len(words)-3, 0):] {
		if strings.EqualFold(w, "key") || secretName(w, x.more) {
			return true
		}
	}
	return false
}

// marked begins what stands for a secret already.
const marked = "[redacted:"

// userinfo returns the credentials in the URL whose authority begins at i, none
// where there are none.
func userinfo(s string, i int) (from, to int) {
	for j := i; j < len(s) && j < i+512; j++ {
		switch c := s[j]; {
		case c == '@':
			if strings.HasPrefix(s[i:], marked) {
				return i, i
			}
			return i, j
		case c <= ' ' || c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>':
			return i, i
		}
	}
	return i, i
}

// given returns the value that is given, by the : or = at sep, to the name that
// begins at word, where that is the name of a secret.
func (x *redactor) given(s string, word, sep int) (from, to int) {
	if sep-word > 80 {
		return 0, 0
	}
	name := strings.TrimRight(s[word:sep], " \t\"'\\")
	if strings.ContainsAny(name, " \t\n") || !secretName(name, x.more) {
		return 0, 0
	}
	i := sep + 1
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '=') {
		i++
	}
	escaped := strings.HasPrefix(s[i:], `\"`)
	if escaped {
		i++
	}
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		return i + 1, quotedEnd(s, i+1, s[i])
	}
	from = i
	for _, scheme := range []string{"bearer ", "basic ", "token ", "digest "} {
		if len(s) >= i+len(scheme) && strings.EqualFold(s[i:i+len(scheme)], scheme) {
			from, i = i+len(scheme), i+len(scheme)
		}
	}
	for i < len(s) && s[i] > ' ' && !strings.ContainsRune(`,;&"'}])<>`, rune(s[i])) {
		i++
	}
	value := s[from:i]
	switch {
	case strings.HasPrefix(value, marked), value == "":
		return 0, 0
	case s[sep] == ':' && from == sep+2 && !strange(value): // as in: the password: please enter it
		return 0, 0
	}
	return from, i
}

// quotedEnd is where the quoted text that begins at i ends.
func quotedEnd(s string, i int, quote byte) int {
	if strings.HasPrefix(s[i:], marked) {
		return i
	}
	for ; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == quote: // a quotation inside a quotation ends here too
			return i
		case s[i] == '\\':
			i++
		case s[i] == quote || s[i] == '\n':
			return i
		}
	}
	return len(s)
}

// strange reports whether a word is none of a language: it holds a digit or a
// sign, or is long and of mixed case.
func strange(s string) bool {
	upper, lower := false, false
	for i := range len(s) {
		c := s[i]
		if !letter(c) && !(c == '.' && i == len(s)-1) && c < 0x80 {
			return true
		}
		upper, lower = upper || i > 0 && c >= 'A' && c <= 'Z', lower || c >= 'a' && c <= 'z'
	}
	return upper && lower || len(s) > 24
}
