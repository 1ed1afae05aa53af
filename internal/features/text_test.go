package features

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// words returns n different words, beginning with the from-th.
func words(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", from+i)
	}
	return b.String()
}

func TestWhole(t *testing.T) {
	x := New(Rules{})
	if a, b := x.Text("I will  look\nagain!"), x.Text("i WILL look, again"); a.Whole != b.Whole || a.Words != 4 {
		t.Errorf("case, signs or white space count: %+v, %+v", a, b)
	}
	if x.Text("look again").Whole == x.Text("again look").Whole {
		t.Error("the order of words does not count")
	}
	if x.Text("again").Whole == x.Text("ag ain").Whole {
		t.Error("where words end does not count")
	}
	for _, s := range []string{"", " \n", "?! →"} {
		if got := x.Text(s); got.Whole != 0 || got.Words != 0 || got.Passages != nil {
			t.Errorf("%q: %+v", s, got)
		}
	}
	long := words(0, 5000)
	if x.Text(long+"a").Whole == x.Text(long+"b").Whole {
		t.Error("the end of a long text does not count")
	}
	if got := x.Text("搜索订单").Words; got != 4 {
		t.Errorf("a text written without blanks has %d words, want 4", got)
	}
}

// common returns how many passages both texts hold.
func common(a, b []Hash) int {
	in := map[Hash]bool{}
	for _, h := range a {
		in[h] = true
	}
	n := 0
	for _, h := range b {
		if in[h] {
			n++
		}
	}
	return n
}

func TestPassages(t *testing.T) {
	x := New(Rules{Thin: 1})
	passages := func(s string) []Hash { return x.Text(s).Passages }
	if n := len(passages(words(0, 7))); n != 0 {
		t.Errorf("seven words hold %d passages", n)
	}
	if n := len(passages(words(0, 20))); n != 13 {
		t.Errorf("twenty words hold %d passages, want 13", n)
	}
	a, b := passages(words(100, 5)+words(0, 9)+words(200, 5)), passages(words(300, 30)+words(0, 9))
	if n := common(a, b); n != 2 {
		t.Errorf("nine common words are %d common passages, want 2", n)
	}
	if n := len(passages(strings.Repeat("again and again ", 20))); n != 3 {
		t.Errorf("a text that repeats itself holds %d passages, want 3", n)
	}
	if n := len(passages(words(0, 2000))); n != maxPassageWords-passageWords+1 {
		t.Errorf("a long text holds %d passages", n)
	}
	swapped := passages("b a c d e f g h")
	if common(passages("a b c d e f g h"), swapped) != 0 {
		t.Error("the order of words does not count")
	}
}

func TestPassagesLeaveCodeOut(t *testing.T) {
	x := New(Rules{Thin: 1})
	plain := words(0, 4) + words(4, 8)
	fenced := words(0, 4) + "\n```go\n" + words(50, 20) + "```\n" + words(4, 8)
	if diff := cmp.Diff(x.Text(plain).Passages, x.Text(fenced).Passages); diff != "" {
		t.Errorf("fenced code counts: %s", diff)
	}
	thin := New(Rules{Thin: 2})
	if diff := cmp.Diff(thin.Text(plain+words(60, 40)).Passages, thin.Text(fenced+words(60, 40)).Passages); diff != "" {
		t.Errorf("fenced code decides which passages are kept: %s", diff)
	}
	if x.Text(plain).Whole == x.Text(fenced).Whole {
		t.Error("code is not part of the whole")
	}
	open := words(0, 4) + "``` " + words(4, 8)
	if n := len(x.Text(open).Passages); n != 5 {
		t.Errorf("a fence that is never closed hides passages: %d left, want 5", n)
	}
}

func TestThinningKeepsTheSamePassages(t *testing.T) {
	all, some := New(Rules{Thin: 1}), New(Rules{})
	s := words(0, 600)
	kept := some.Text(s).Passages
	if n := len(kept); n < 240 || n > 350 {
		t.Errorf("%d of 593 passages are kept, want about a half", n)
	}
	if n := common(all.Text(s).Passages, kept); n != len(kept) {
		t.Errorf("%d of %d kept passages are passages", n, len(kept))
	}
	if n := common(kept, some.Text(words(900, 3)+s).Passages); n < len(kept)-3 {
		t.Errorf("which are kept depends on where they stand: %d of %d", n, len(kept))
	}
	quoted := some.Result(Answer{Content: quoteArgs("a", s)})
	if n := common(kept, quoted.Passages); n < len(kept)-1 {
		t.Errorf("a result that holds the text has %d of its %d passages", n, len(kept))
	}
}

func TestSimilar(t *testing.T) {
	x := New(Rules{})
	same := x.Text("Goodbye, and thank you!")
	tests := []struct {
		name, b string
		want    int
	}{
		{"the same words", "thank you and goodbye goodbye", 100},
		{"one word more", "goodbye and thank you all", 80},
		{"half of them", "goodbye and what else", 33},
		{"other words", "your parcel has not moved since monday", 0},
		{"no words", "...", 0},
		{"too many words", "goodbye and thank you " + words(0, 41), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := x.Text(tt.b)
			if got := Similar(same.Few, b.Few); got != tt.want || got != Similar(b.Few, same.Few) {
				t.Errorf("%d %%, want %d, both ways", got, tt.want)
			}
		})
	}
}

// What is kept of a text must not depend on the key, or two instances would
// decide differently.
func TestTheKeyDoesNotDecide(t *testing.T) {
	s := words(0, 600)
	a, b := New(Rules{Key: Key{1}}).Text(s), New(Rules{Key: Key{2}}).Text(s)
	if len(a.Passages) != len(b.Passages) || common(a.Passages, b.Passages) != 0 {
		t.Errorf("%d and %d passages, %d of them equal", len(a.Passages), len(b.Passages), common(a.Passages, b.Passages))
	}
	longer := "and then " + s
	c, d := New(Rules{Key: Key{1}}).Text(longer), New(Rules{Key: Key{2}}).Text(longer)
	if x, y := common(a.Passages, c.Passages), common(b.Passages, d.Passages); x != y {
		t.Errorf("%d passages are common under one key, %d under another", x, y)
	}
}

func FuzzText(f *testing.F) {
	f.Add("```a```b``` c d e f g h i j é漢字'\xff")
	f.Fuzz(func(t *testing.T, s string) {
		x := New(Rules{Thin: 1})
		a := x.Text(s)
		if (a.Words == 0) != (a.Whole == 0) || len(a.Passages) > max(0, a.Words-passageWords+1) {
			t.Fatalf("%+v", a)
		}
		if diff := cmp.Diff(a, x.Text(s)); diff != "" {
			t.Fatal(diff)
		}
		if a.Few != nil && Similar(a.Few, a.Few) != 100 {
			t.Fatal("a text is not similar to itself")
		}
	})
}
