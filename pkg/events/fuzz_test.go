package events_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// encoding/json is the loose reference: whatever we accept it accepts, and it
// reads the same identity.
func FuzzDecode(f *testing.F) {
	for _, line := range lines(f, exampleFile) {
		f.Add(bytes.Clone(line))
	}
	for _, tt := range malformed {
		if len(tt.line) < 1000 {
			f.Add([]byte(tt.line))
		}
	}
	for _, tt := range misfits {
		f.Add([]byte(edit(f, full(f, tt.kind), tt.path, tt.raw)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := events.Decode(data, 1<<20)
		if err != nil {
			checkRejection(t, data, err)
			return
		}
		checkAgainstReference(t, data, e)
		if err := e.Validate(); err != nil {
			t.Fatalf("accepted, but: %v", err)
		}
		encoded, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(encoded) || bytes.ContainsAny(encoded, "\r\n") {
			t.Fatalf("encoding is not one line of JSON: %q", encoded)
		}
		again, err := events.Decode(encoded, 2<<20)
		if err != nil {
			t.Fatalf("decode %s: %v", encoded, err)
		}
		if !reflect.DeepEqual(e, again) {
			t.Fatalf("round trip (-before +after):\n%s", cmp.Diff(e, again))
		}
	})
}

func checkRejection(t *testing.T, data []byte, err error) {
	t.Helper()
	var rej *events.Reject
	if !errors.As(err, &rej) || rej.Detail == "" || !slices.Contains(events.Reasons(), rej.Reason) {
		t.Fatalf("not a named reject: %#v", err)
	}
	syntax := []events.Reason{events.ReasonNotJSON, events.ReasonInvalidUTF8, events.ReasonDuplicateKey, events.ReasonTooDeep}
	if !json.Valid(data) && !slices.Contains(syntax, rej.Reason) {
		t.Fatalf("bad JSON is called %s", rej)
	}
	if json.Valid(data) && rej.Reason == events.ReasonNotJSON {
		t.Fatalf("good JSON is called %s", rej)
	}
}

func checkAgainstReference(t *testing.T, data []byte, e events.Event) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("the reference refuses it: %v", err)
	}
	text := func(name string) string {
		var s string
		if raw, ok := fields[name]; ok {
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("the reference cannot read %s: %v", name, err)
			}
		}
		return s
	}
	if text("id") != e.ID || text("kind") != string(e.Kind) {
		t.Fatalf("id %q kind %q, the reference reads %s", e.ID, e.Kind, data)
	}
	if e.Kind.Ours() {
		return
	}
	if text("run") != e.Run || text("parent") != e.Parent {
		t.Fatalf("run %q parent %q, the reference reads %s", e.Run, e.Parent, data)
	}
	var seq uint64
	if raw, ok := fields["seq"]; ok {
		if err := json.Unmarshal(raw, &seq); err != nil || seq != e.Seq {
			t.Fatalf("seq %d, the reference reads %s (%v)", e.Seq, raw, err)
		}
	}
}

func FuzzParsePartitionSubject(f *testing.F) {
	f.Add("lw.evp.3.shop.support")
	f.Add("lw.evp.3._lw.tick")
	f.Add("lw.evp.03.a.b")
	f.Fuzz(func(t *testing.T, subject string) {
		at, ok := events.ParsePartitionSubject(subject)
		if !ok {
			return
		}
		again := events.PartitionSubject(at.Partition, at.Tenant, at.Agent)
		if at.Kind != "" {
			again = events.ReservedSubject(at.Partition, at.Kind)
		}
		if again != subject {
			t.Errorf("%q is read as %+v, which is %q", subject, at, again)
		}
	})
}

func FuzzParseCheck(f *testing.F) {
	f.Add("tok,2026-01-05T09:00:00Z")
	f.Add(" a=2F , 2026-01-05T11:00:00.000000001+02:00")
	f.Fuzz(func(t *testing.T, header string) {
		c, err := events.ParseCheck(header)
		if err != nil {
			return
		}
		if again, err := events.ParseCheck(c.String()); err != nil || again != c {
			t.Errorf("%q is read as %+v, then as %+v (%v)", header, c, again, err)
		}
	})
}

func FuzzUnescapeName(f *testing.F) {
	f.Add("a=2Fb=5F")
	f.Add("=3")
	f.Fuzz(func(t *testing.T, name string) {
		s, ok := events.UnescapeName(name)
		if !ok {
			return
		}
		escaped := events.EscapeName(s)
		if s != "" && !events.ValidName(escaped) {
			t.Errorf("%q became %q", s, escaped)
		}
		if back, ok := events.UnescapeName(escaped); len(name) <= events.MaxName/3 && (!ok || back != s) {
			t.Errorf("%q came back as %q", s, back)
		}
	})
}
