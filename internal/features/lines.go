package features

import "bytes"

// Bounds of lines.
const (
	minLine  = 12
	maxLines = 400
)

// lines returns the hashes of the distinct lines of masked text, without the
// line numbers in front of them.
func (x *Extractor) lines(masked []byte) []Hash {
	var found []Hash
	x.seen.reset(min(maxLines, len(masked)/minLine))
	for len(masked) > 0 && len(found) < maxLines {
		line := firstLine(&masked)
		if len(line) < minLine {
			continue
		}
		h := x.sum(domainLine, withoutNumber(line))
		if x.seen.add(h) {
			if found == nil {
				found = x.room(&x.lineHashes, 16)
			}
			found = append(found, h)
		}
	}
	if found != nil {
		x.lineHashes = found
	}
	return found
}

// withoutNumber returns the line without a line number such as "12: " or "12|" in front.
func withoutNumber(line []byte) []byte {
	i := skipDigits(line, 0)
	if i == 0 || i == len(line) || bytes.IndexByte([]byte("\t:-| "), line[i]) < 0 {
		return line
	}
	return bytes.TrimLeft(line[i:], "\t:-| ")
}
