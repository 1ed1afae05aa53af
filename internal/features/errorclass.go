package features

import "bytes"

// Bounds of an error class, in bytes.
const (
	maxErrorLine  = 160 // of the first and of the last line
	maxNamingLine = 200 // of a line that names an exception
	maxNaming     = 12  // lines from the end that are searched for such a line
	maxClass      = 240
)

// hole stands for something folded away until the class is written.
const hole = 0x01

// errorClass appends to out what the error says once everything that differs
// between two errors of one kind is folded away. Two errors are of one class
// exactly where the results agree. The text is not masked yet.
func (x *Extractor) errorClass(out, text []byte, echoes []Hash) []byte {
	line := x.errorLine(text)
	x.folded = foldQuotes(x.folded[:0], line[:min(len(line), 400)])
	start := len(out)
	out = x.foldTokens(out, x.folded, echoes)
	out = bytes.TrimSpace(out)
	for i := start; i < len(out); i++ {
		out[i] = lowerByte(out[i])
	}
	return out[:min(len(out), start+maxClass)]
}

// errorLine returns the masked line that says most: one that names an exception
// near the end, else the only line, else the first and the last.
func (x *Extractor) errorLine(text []byte) []byte {
	var first, last []byte
	lines := 0
	for rest := text; len(rest) > 0 && lines < maxNaming; {
		line := lastLine(&rest)
		if len(line) == 0 {
			continue
		}
		lines++
		if last == nil {
			last = line
		}
		if namesException(line) {
			x.line = mask(x.line[:0], line[:min(len(line), 4*maxNamingLine)], nil)
			return x.line[:min(len(x.line), maxNamingLine)]
		}
	}
	for rest := text; first == nil && len(rest) > 0; {
		if line := firstLine(&rest); len(line) > 0 {
			first = line
		}
	}
	x.line = mask(x.line[:0], first[:min(len(first), 4*maxErrorLine)], nil)
	if lines < 2 {
		return x.line
	}
	x.line = append(x.line[:min(len(x.line), maxErrorLine)], " | "...)
	end := len(x.line)
	x.line = mask(x.line, last[:min(len(last), 4*maxErrorLine)], nil)
	return x.line[:min(len(x.line), end+maxErrorLine)]
}

// firstLine takes the first line off text and returns it without white space around it.
func firstLine(text *[]byte) []byte {
	line := *text
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, *text = line[:i], line[i+1:]
	} else {
		*text = nil
	}
	return bytes.TrimSpace(line)
}

// lastLine takes the last line off text and returns it without white space around it.
func lastLine(text *[]byte) []byte {
	line := *text
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line, *text = line[i+1:], line[:i]
	} else {
		*text = nil
	}
	return bytes.TrimSpace(line)
}

// namesException reports whether the line begins with a name such as ValueError.
func namesException(line []byte) bool {
	name := dottedName(line)
	return endsPart(name, "Error") || endsPart(name, "Exception") || endsPart(name, "Warning")
}

// dottedName returns the letters, digits, underscores and dots that line begins with.
func dottedName(line []byte) []byte {
	end := wordRun(line, 0)
	for end < len(line) && line[end] == '.' {
		end = wordRun(line, end+1)
	}
	return line[:end]
}

// endsPart reports whether suffix ends one of the parts of a dotted name.
func endsPart(name []byte, suffix string) bool {
	for len(name) >= len(suffix) {
		i := bytes.Index(name, []byte(suffix))
		if i < 0 {
			return false
		}
		name = name[i+len(suffix):]
		if len(name) == 0 || name[0] == '.' {
			return true
		}
	}
	return false
}

// foldQuotes appends line to out with every quoted text turned into a hole. An
// apostrophe inside a word quotes nothing.
func foldQuotes(out, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		b := line[i]
		if b == '"' || b == '`' || b == '\'' && (i == 0 || !isWord(line[i-1])) {
			if end := quoted(line, i); end > i {
				out = append(out, hole)
				i = end
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// quoted returns the position of the quote that closes the one at i, or i.
func quoted(line []byte, i int) int {
	for j := i + 1; j < len(line) && j <= i+201; j++ {
		if line[j] == line[i] && (line[j] != '\'' || j+1 == len(line) || !isWord(line[j+1])) {
			return j
		}
	}
	return i
}
