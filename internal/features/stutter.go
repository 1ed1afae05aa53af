package features

import "bytes"

// Bounds of a stutter.
const (
	maxStutterWords = 64 // last words of a text that are looked at
	maxPhrase       = 8  // words of the phrase
	minPhrases      = 4  // how often it must come
)

// stutter returns over how many of the last words of words, each followed by a
// blank, one phrase is repeated back to back; 0 where none comes four times.
func stutter(words []byte) int {
	var last [maxStutterWords][]byte
	n := 0
	for ; n < len(last) && len(words) > 0; n++ {
		words = words[:len(words)-1]
		from := bytes.LastIndexByte(words, ' ') + 1
		last[n], words = words[from:], words[:from]
	}
	longest := 0
	for p := 1; p <= maxPhrase; p++ {
		k := 0
		for k+p < n && bytes.Equal(last[k], last[k+p]) {
			k++
		}
		if k > 0 && k+p >= minPhrases*p {
			longest = max(longest, k+p)
		}
	}
	return longest
}
