package escalate

import (
	"errors"
	"testing"
	"time"
)

// Two that follow one partition: the first to write goes on, the other one lets
// go and reads again what the first left.
func TestOneOfTwoFollows(t *testing.T) {
	s := newSite(t)
	open := func() *Service {
		it, err := New(t.Context(), s.config(Options{Webhook: "http://127.0.0.1:1"}))
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	a, b := open(), open()
	take := func(it *Service) *watched {
		w, err := it.take(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	first := take(a)
	second := take(b)
	s.log(0, control("r1"))
	if err := a.follow(t.Context(), first); err != nil || len(first.open) != 1 {
		t.Fatalf("the first: %v", err)
	}
	if err := b.follow(t.Context(), second); !errors.Is(err, errMoved) {
		t.Errorf("the second: %v, want that it was moved", err)
	}
	second = take(b)
	if i := second.open["ctl_r1"]; i == nil || second.at.Seq != first.at.Seq {
		t.Fatalf("the second finds %+v", second)
	}
	first.open["ctl_r1"].Webhook = Sent
	if err := a.save(t.Context(), first, first.open["ctl_r1"]); err != nil {
		t.Fatal(err)
	}
	if err := b.save(t.Context(), second, second.open["ctl_r1"]); !errors.Is(err, errMoved) {
		t.Errorf("what the other one sent is overwritten: %v", err)
	}
	if err := b.remove(t.Context(), second, second.open["ctl_r1"]); !errors.Is(err, errMoved) {
		t.Errorf("what the other one changed is removed: %v", err)
	}
	if err := a.remove(t.Context(), first, first.open["ctl_r1"]); err != nil || s.kept(0, "ctl_r1") {
		t.Errorf("removed: %v", err)
	}
}

// Another log under the same name has nothing to do with the position.
func TestAnotherLogBeginsAnew(t *testing.T) {
	s := newSite(t)
	it, err := New(t.Context(), s.config(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s.log(0, control("r1"))
	w, err := it.take(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if w.at.Base != 1 || w.at.Seq != 0 {
		t.Errorf("it begins at %+v", w.at)
	}
	w.at = position{Created: w.at.Created.Add(-time.Hour), Seq: 77}
	if err := it.savePosition(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if w, err = it.take(t.Context(), 0); err != nil || w.at.Seq != 0 || w.at.Base != 1 {
		t.Errorf("with another log it begins at %+v, %v", w, err)
	}
}

// What stands in the bucket and is no escalation hides none.
func TestEntriesThatAreNone(t *testing.T) {
	s := newSite(t)
	it, err := New(t.Context(), s.config(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, text string) {
		if _, err := it.kv.PutString(t.Context(), key, text); err != nil {
			t.Fatal(err)
		}
	}
	put(openKey(0, "ctl_a"), "nonsense")
	put(openKey(0, "ctl_b"), `{"id":"ctl_other"}`)
	put(openKey(0, "ctl_c"), `{"id":"ctl_c"}`)
	put(openKey(1, "ctl_d"), `{"id":"ctl_d"}`)
	w, err := it.take(t.Context(), 0)
	if err != nil || len(w.open) != 1 || w.open["ctl_c"] == nil {
		t.Errorf("%+v, %v", w, err)
	}
	put(positionKey(1), "nonsense")
	if _, err := it.take(t.Context(), 1); err == nil {
		t.Error("a position that cannot be read is taken for none")
	}
	if again, err := openBucket(t.Context(), s.js, 1); err != nil || again.Bucket() != it.kv.Bucket() {
		t.Errorf("opened again: %v", err)
	}
}
