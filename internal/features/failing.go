package features

import "bytes"

// Bounds of a failing check's signature.
const (
	maxFailingLines = 12
	maxFailingLine  = 300
	minFailing      = 60
	longFailing     = 120
)

// failing appends the masked lines of text that name failing checks, at most the
// first twelve.
func (x *Extractor) failing(out, text []byte) []byte {
	for lines := 0; len(text) > 0 && lines < maxFailingLines; {
		line := firstLine(&text)
		if !namesFailure(line) {
			continue
		}
		if lines > 0 {
			out = append(out, '\n')
		}
		x.line = mask(x.line[:0], line[:min(len(line), 4*maxFailingLine)], nil)
		start := len(out)
		out = foldLineNumbers(out, x.line)
		out = out[:min(len(out), start+maxFailingLine)]
		lines++
	}
	return out
}

// namesFailure reports whether a line names an exception, a failed check or a panic.
func namesFailure(line []byte) bool {
	for len(line) > 0 && wordSize(line, 0) == 0 {
		line = line[1:]
	}
	if len(line) < 4 {
		return false
	}
	word := line[:wordRun(line, 0)]
	switch string(word) {
	case "FAILED", "FAIL":
		return true
	case "error":
		return len(line) > 5 && (line[5] == ':' || line[5] == '[')
	case "panic":
		return len(line) > 5 && line[5] == ':'
	case "E":
		rest := bytes.TrimLeft(line[1:], " \t")
		return len(rest) > 0 && len(line)-len(rest) >= 3
	}
	name := dottedName(line)
	return endsPart(name, "Error") || endsPart(name, "Exception") || endsPart(name, "Failure")
}

// foldLineNumbers appends line to out with the number after "line " or a colon as N.
func foldLineNumbers(out, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		out = append(out, line[i])
		if line[i] != ':' && !bytes.HasSuffix(line[:i+1], []byte("line ")) {
			continue
		}
		if end := skipDigits(line, i+1); end > i+1 {
			out = append(out, 'N')
			i = end - 1
		}
	}
	return out
}
