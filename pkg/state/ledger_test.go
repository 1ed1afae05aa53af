package state

import (
	"fmt"
	"testing"
)

func TestOpenFindsTheNewestOpenIncident(t *testing.T) {
	l := NewLedger()
	byDetector := func(name string) func(*Incident) bool {
		return func(in *Incident) bool { return in.Detector == name }
	}
	if l.Open(byDetector("repeat")) != nil {
		t.Error("an empty ledger has an open incident")
	}
	l.Begin(Incident{ID: "1", Detector: "repeat"})
	l.Begin(Incident{ID: "2", Detector: "repeat"})
	l.Begin(Incident{ID: "3", Detector: "repeat", Closed: true})
	l.Begin(Incident{ID: "4", Detector: "cycle"})
	for detector, want := range map[string]string{"repeat": "2", "cycle": "4"} {
		in := l.Open(byDetector(detector))
		if in == nil || in.ID != want {
			t.Errorf("open %s incident: %+v, want %s", detector, in, want)
			continue
		}
		in.Rung = 7
		if l.Open(byDetector(detector)).Rung != 7 {
			t.Errorf("the open %s incident is a copy", detector)
		}
	}
	if in := l.Open(byDetector("stagnation")); in != nil {
		t.Errorf("open stagnation incident: %+v", in)
	}
}

func TestBeginForgetsTheOldest(t *testing.T) {
	l := NewLedger()
	for i := range MaxIncidents + 3 {
		if in := l.Begin(Incident{ID: fmt.Sprint(i)}); in.ID != fmt.Sprint(i) {
			t.Fatalf("begun is %s, want %d", in.ID, i)
		}
	}
	if len(l.Incidents) != MaxIncidents || l.Incidents[0].ID != "3" {
		t.Errorf("%d incidents from %s on, want %d from 3 on", len(l.Incidents), l.Incidents[0].ID, MaxIncidents)
	}
}

func TestAck(t *testing.T) {
	l := NewLedger()
	l.Unacked = []Control{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	for _, step := range []struct {
		id   string
		was  bool
		left string
	}{{"b", true, "a c"}, {"b", false, "a c"}, {"other", false, "a c"}, {"a", true, "c"}, {"c", true, ""}} {
		was := l.Ack(step.id)
		left := ""
		for i, c := range l.Unacked {
			if i > 0 {
				left += " "
			}
			left += c.ID
		}
		if was != step.was || left != step.left {
			t.Errorf("ack %s: %v, left %q; want %v, %q", step.id, was, left, step.was, step.left)
		}
	}
}
