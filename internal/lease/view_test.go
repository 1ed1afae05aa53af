package lease

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestView(t *testing.T) {
	start := time.Now()
	at := func(tenths int) time.Time { return start.Add(time.Duration(tenths) * 100 * time.Millisecond) }
	body := func(name string) []byte {
		b, err := json.Marshal(entry{Instance: name, Home: "home-" + name, Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v := newView(time.Second)
	note := func(key, name string, rev uint64, gone bool, tenths int, news bool) {
		t.Helper()
		if got := v.note(key, body(name), rev, gone, at(tenths)); got != news {
			t.Errorf("%s at revision %d: news %v, want %v", key, rev, got, news)
		}
	}
	others := func(tenths int, want ...string) {
		t.Helper()
		got := v.others("me", at(tenths))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("after %d00 ms there are %v, want %v", tenths, got, want)
		}
	}
	note("instance.me", "me", 1, false, 0, true)
	note("instance.a", "a", 2, false, 0, true)
	note("partition.3", "a", 3, false, 0, true)
	others(0, "a")
	if h, ok := v.holder(3, at(9)); !ok || h.Home != "home-a" || h.revision != 3 {
		t.Errorf("partition 3 is held by %+v, %v", h, ok)
	}
	if _, ok := v.holder(3, at(10)); ok {
		t.Error("a key that nobody renewed counts for longer than its TTL")
	}
	note("instance.a", "a", 4, false, 8, false) // a renewal
	others(17, "a")
	others(18)
	note("instance.a", "a", 5, false, 20, true) // it is back
	note("instance.a", "", 6, true, 21, true)
	others(21)
	note("instance.a", "a", 5, false, 22, false) // an old answer
	others(22)
	note("instance.a", "a", 7, false, 23, true)
	others(23, "a")
	if v.note("instance.b", []byte("no entry"), 8, false, at(24)) || v.note("partition.x", body("b"), 9, false, at(24)) || v.note("else", body("b"), 10, false, at(24)) {
		t.Error("what is no entry is news")
	}
	others(24, "a")
	others(200)
	if len(v.instances) != 0 {
		t.Errorf("long gone and remembered: %v", v.instances)
	}
}
