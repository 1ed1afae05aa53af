package features

// Sketch is a small min-hash over the set of words of a text.
type Sketch [32]uint8

// Text is what a free text of an agent, a user or a prompt says.
type Text struct {
	Whole    Hash   // of its lower-cased words in order; 0 without words
	Words    int    // how many words
	Passages []Hash // 8-word passages of the first 600 words outside code fences, every fourth by hash; at most 150
	Sketch   Sketch
}

// Text returns the features of s.
func (x *Extractor) Text(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{Whole: x.sum(domainText, []byte(s))}
}

// Similar estimates how much of the two texts' words are common, in percent of
// all words in either (Jaccard). It is exact at 0 words and for equal word
// sets, else good to about ± 9. Texts without words are similar to nothing.
func (a Text) Similar(b Text) int {
	if a.Words == 0 || b.Words == 0 {
		return 0
	}
	n := 0
	for i := range a.Sketch {
		if a.Sketch[i] == b.Sketch[i] {
			n++
		}
	}
	return n * 100 / len(a.Sketch)
}
