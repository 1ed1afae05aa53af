package features

// Classes of bytes. Bytes beyond ASCII count as letters of a word.
const (
	classWord byte = 1 << iota // letters, digits, underscore
	classDigit
	classHex
	classSpace
	classLetter // ASCII letters and all beyond ASCII
)

var classes = func() (t [256]byte) {
	for i := range t {
		b := byte(i)
		low := b | 0x20
		switch {
		case b >= '0' && b <= '9':
			t[i] = classWord | classDigit | classHex
		case low >= 'a' && low <= 'z', b >= 0x80:
			t[i] = classWord | classLetter
			if low >= 'a' && low <= 'f' && b < 0x80 {
				t[i] |= classHex
			}
		case b == '_':
			t[i] = classWord
		case b == ' ', b >= '\t' && b <= '\r':
			t[i] = classSpace
		}
	}
	return t
}()

func isDigit(b byte) bool { return b-'0' <= 9 }
func isWord(b byte) bool  { return classes[b]&classWord != 0 }
func isHex(b byte) bool   { return classes[b]&classHex != 0 }
func isBlank(b byte) bool { return classes[b]&classSpace != 0 }
func lowerByte(b byte) byte {
	if b-'A' < 26 {
		return b | 0x20
	}
	return b
}
