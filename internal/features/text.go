package features

// Sketch is a small min-hash over the set of words of a text: in each lane the
// smallest hash of the words that fall into it, 0 where none does.
type Sketch [32]uint8

// Text is what a free text of an agent, a user or a prompt says.
type Text struct {
	Whole    Hash   // of its lower-cased words in order; 0 without words
	Words    int    // how many words are in its first 16 KiB
	Passages []Hash // 8-word passages of the first 600 words outside code fences, distinct, thinned by Rules.Thin
	Sketch   Sketch
	Stutter  int // last words, of 64 looked at, that are one phrase of up to 8 words at least four times over; 0 for none
}

// Text returns the features of s.
func (x *Extractor) Text(s string) Text {
	head := min(len(s), maxRead)
	x.text = append(x.text[:0], s[:head]...)
	t := Text{Words: x.readWords(x.text), Sketch: x.sketch}
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

// Similar estimates how much of the two texts' words are common, in percent of
// all words in either (Jaccard); equal sets give 100, and the error is about 9
// for long texts. A text without words is similar to nothing.
func (a Text) Similar(b Text) int {
	all, equal := 0, 0
	for i, h := range a.Sketch {
		if h == 0 && b.Sketch[i] == 0 {
			continue
		}
		all++
		if h == b.Sketch[i] {
			equal++
		}
	}
	if all == 0 {
		return 0
	}
	return equal * 100 / all
}
