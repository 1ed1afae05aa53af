package features

import "slices"

// maxFew bounds the distinct words that are told one by one.
const maxFew = 40

// Text is what a free text of an agent, a user or a prompt says.
type Text struct {
	Whole    Hash   // of its lower-cased words in order; 0 without words
	Words    int    // how many words are in its first 16 KiB
	Passages []Hash // 8-word passages of the first 600 words outside code fences, distinct, thinned by Rules.Thin
	Few      []Hash // distinct words in ascending order; nil where they are more than 40. For Similar
	Stutter  int    // last words, of 64 looked at, that are one phrase of up to 8 words at least four times over; 0 for none
}

// Text returns the features of s.
func (x *Extractor) Text(s string) Text {
	head := min(len(s), maxRead)
	x.text = append(x.text[:0], s[:head]...)
	t := Text{Words: x.readWords(x.text), Few: x.distinct()}
	t.Stutter = stutter(x.words)
	if t.Words > 0 {
		if head < len(s) {
			x.words = append(x.words, s[head:]...)
		}
		t.Whole = x.sum(domainText, x.words)
	}
	t.Passages = x.passages()
	return t
}

// distinct returns the distinct words read last in ascending order, nil where
// they are too many.
func (x *Extractor) distinct() []Hash {
	if len(x.few) == 0 || len(x.few) > maxFew {
		return nil
	}
	few := append(x.room(&x.fewHashes, len(x.few)), x.few...)
	slices.Sort(few)
	x.fewHashes = few
	return few
}

// Similar returns how many of all distinct words of two texts, as their Few
// tells them, are common to both, in percent; 0 where either is nil.
func Similar(a, b []Hash) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for _, h := range a {
		if _, ok := slices.BinarySearch(b, h); ok {
			common++
		}
	}
	return common * 100 / (len(a) + len(b) - common)
}
