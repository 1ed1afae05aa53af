package features

import "bytes"

// foldTokens appends the words of line to out. Words that hold a digit, a path,
// an identifier or an echo of an argument become holes; holes next to each other
// are one.
func (x *Extractor) foldTokens(out, line []byte, echoes []Hash) []byte {
	w := classWriter{out: out}
	x.tokens = x.tokens[:0]
	for i := 0; i < len(line); {
		if isBlank(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		x.tokens = append(x.tokens, part{from, i})
	}
	for i := 0; i < len(x.tokens); {
		if n := x.echoed(line, i, echoes); n > 0 {
			w.hole()
			i += n
			continue
		}
		if t := line[x.tokens[i].from:x.tokens[i].to]; variable(t) {
			w.hole()
		} else {
			w.word(t)
		}
		i++
	}
	return w.out
}

// variable reports whether a token names or numbers something.
func variable(token []byte) bool {
	for _, b := range token {
		if isDigit(b) {
			return true
		}
		switch b {
		case hole, '/', '\\', '_', '.', '<', '>', '=', '@', '#':
			return true
		}
	}
	return false
}

// classWriter writes an error class: words, and one mark for each run of holes.
type classWriter struct {
	out  []byte
	open bool // a hole is being written
}

func (w *classWriter) hole() {
	if !w.open {
		w.out = append(w.out, "<w> "...)
		w.open = true
	}
}

// word writes a token, its camel-case words as holes. The name of an exception
// is no hole: it is what the error is called.
func (w *classWriter) word(t []byte) {
	from := 0
	for i := 0; i < len(t); {
		if wordSize(t, i) == 0 {
			i++
			continue
		}
		end := wordRun(t, i)
		if camel(t[i:end]) && !namesException(t[i:end]) {
			w.plain(t[from:i])
			w.hole()
			from = end
		}
		i = end
	}
	w.plain(t[from:])
	if !w.open {
		w.out = append(w.out, ' ')
	}
}

// plain writes text as it is; punctuation next to a hole belongs to the hole.
func (w *classWriter) plain(t []byte) {
	if w.open {
		t = bytes.TrimLeft(t, ",:;()[]{}")
	}
	if len(t) > 0 {
		w.out = append(w.out, t...)
		w.open = false
	}
}

// camel reports whether a word is an identifier in camel case: a small letter
// before a capital, and no all-small or all-capital beginning alone.
func camel(w []byte) bool {
	small := false
	for i, b := range w {
		switch {
		case b-'A' < 26:
			if small && i > 0 {
				return true
			}
		case b-'a' < 26:
			small = true
		case i == 0:
			return false
		}
	}
	return false
}
