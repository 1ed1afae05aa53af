package features

import "bytes"

// wordEnd returns the position after the shell word that begins at pos.
func wordEnd(src []byte, pos int) int {
	for pos < len(src) {
		switch b := src[pos]; b {
		case ' ', '\t', '\r', '\n', ';', '&', '|', ')', '>':
			return pos
		case '<', '(':
			if b == '<' && (pos+1 >= len(src) || src[pos+1] != '(') {
				return pos
			}
			if b == '(' && (pos == 0 || src[pos-1] != '$' && src[pos-1] != '<') {
				return pos
			}
			if b == '<' {
				pos++
			}
			pos = closing(src, pos)
		case '\\':
			pos += 2
		case '\'', '"', '`':
			pos = quoteEnd(src, pos)
		default:
			pos++
		}
	}
	return len(src)
}

// quoteEnd returns the position after the quoted text that begins at pos, or
// the end of src where the quote is never closed.
func quoteEnd(src []byte, pos int) int {
	quote := src[pos]
	for pos++; pos < len(src); pos++ {
		switch {
		case src[pos] == quote:
			return pos + 1
		case src[pos] == '\\' && quote != '\'':
			pos++
		}
	}
	return len(src)
}

// closing returns the position after the bracket that closes the one at pos.
func closing(src []byte, pos int) int {
	open := 0
	for pos < len(src) {
		switch src[pos] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return pos + 1
			}
		case '\'', '"', '`':
			pos = quoteEnd(src, pos) - 1
		case '\\':
			pos++
		}
		pos++
	}
	return len(src)
}

// readDocs reads the bodies of the here-documents announced on the line before.
func (s *script) readDocs() {
	for i, d := range s.pending {
		if i > 0 && s.pos < len(s.src) && s.src[s.pos] == '\n' {
			s.pos++
		}
		word := bytes.Trim(s.src[d.word.from:d.word.to], `'"\`)
		from := s.pos
		to, next := len(s.src), len(s.src)
		for line := s.pos; line < len(s.src); {
			end := len(s.src)
			if i := bytes.IndexByte(s.src[line:], '\n'); i >= 0 {
				end = line + i
			}
			text := s.src[line:end]
			if d.tabs {
				text = bytes.TrimLeft(text, "\t")
			}
			if bytes.HasPrefix(text, word) && (len(text) == len(word) || !isWord(text[len(word)])) {
				to, next = max(line-1, from), end-len(text)+len(word)
				break
			}
			line = end + 1
		}
		s.docs = append(s.docs, document{d.command, part{from, to}})
		s.pos = next
	}
	s.pending = s.pending[:0]
}

// bytes returns a word without the quotes around it.
func (s *script) bytes(p part) []byte {
	b := s.src[p.from:p.to]
	if len(b) >= 2 && (b[0] == '\'' || b[0] == '"') && b[len(b)-1] == b[0] {
		return b[1 : len(b)-1]
	}
	return b
}
