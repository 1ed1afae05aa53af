package features

import (
	"encoding/json"
	"fmt"
	"testing"
)

// step is one call and what came back, as text.
type step struct{ tool, args, result string }

// told is what the package says of a step.
type told struct {
	Call
	Result
}

func tell(x *Extractor, s step) told {
	c := x.Call(s.tool, []byte(s.args), "", Unknown, false)
	content, err := json.Marshal(s.result)
	if err != nil {
		panic(err)
	}
	return told{c, x.Result(Answer{Tool: s.tool, Content: content, Echoes: c.Echoes})}
}

// Each story is something agents do; want says what must hold of its first two
// steps so that a repetition is seen, and nothing else is taken for one.
func TestStories(t *testing.T) {
	tests := []struct {
		name string
		a, b step
		want map[string]bool
	}{
		{
			"the parcel that never moves",
			step{"track_parcel", `{"tracking_number":"RM123","reason":"first look"}`, `{"scans":[],"checked_at":"2024-05-16T10:00:00Z"}`},
			step{"track_parcel", `{"reason":"maybe now","tracking_number":"RM123 "}`, `{"scans":[],"checked_at":"2024-05-16T10:07:12Z"}`},
			map[string]bool{"same call": true, "same result": true, "write": false},
		},
		{
			"two product pages in turn",
			step{"get_product_details", `{"product_id":"1"}`, `{"name":"Lamp","price":12}`},
			step{"get_product_details", `{"product_id":"2"}`, `{"name":"Desk","price":80}`},
			map[string]bool{"same call": false, "same result": false, "error": false},
		},
		{
			"ids guessed one after another",
			step{"get_user", `{"id":"mia_li_3668"}`, `Error: user mia_li_3668 not found`},
			step{"get_user", `{"id":"mia_li_3669"}`, `Error: user mia_li_3669 not found`},
			map[string]bool{"same call": false, "same result": false, "error": true, "same class": true},
		},
		{
			"an edit whose old text is not there",
			step{"edit", `{"path":"a.py","old":"x = 1"}`, `Could not find 'x = 1' in a.py, line 10`},
			step{"edit", `{"path":"a.py","old":"x = 2"}`, `Could not find 'x = 2' in a.py, line 10`},
			map[string]bool{"same call": false, "error": true, "same class": true, "write": true},
		},
		{
			"an indentation fix",
			step{"edit", `{"path":"a.py","new":"if x:\n  y"}`, `applied`},
			step{"edit", `{"path":"a.py","new":"if x:\n    y"}`, `applied`},
			map[string]bool{"same call": false, "same result": true, "error": false, "no": false, "short": true},
		},
		{
			"a search that finds nothing, worded anew",
			step{"search", `{"q":"foo","dir":"src"}`, `no matches`},
			step{"search", `{"q":"foo bar","dir":"src"}`, `no matches`},
			map[string]bool{"same call": false, "same result": true, "no": true, "error": false, "shared argument": true},
		},
		{
			"twelve different questions, all answered available",
			step{"check_room", `{"day":"2024-05-16"}`, `available`},
			step{"check_room", `{"day":"2024-05-17"}`, `available`},
			map[string]bool{"same call": false, "no": false, "shared argument": false, "short": true},
		},
		{
			"a test suite run again after an edit",
			step{"bash", `{"command":"pytest -q"}`, "1 failed, 5 passed in 0.31s"},
			step{"bash", `{"command":"pytest  -q"}`, "1 failed, 5 passed in 0.29s"},
			map[string]bool{"same call": true, "same result": true, "write": false, "error": false},
		},
		{
			"a syntax check that always says yes",
			step{"bash", `{"command":"bash -n run.sh && echo Syntax OK"}`, "Syntax OK"},
			step{"bash", `{"command":"bash -n run.sh && echo Syntax OK"}`, "Syntax OK"},
			map[string]bool{"same call": true, "same result": true, "no": false, "write": false},
		},
		{
			"scrolling through a file",
			step{"scroll_down", `{}`, "100: def a(self):\n101:     return 1"},
			step{"scroll_down", ``, "200: def b(self):\n201:     return 2"},
			map[string]bool{"same call": true, "same result": false, "shared lines": false},
		},
		{
			"the same lines, shown from another place",
			step{"view", `{"from":1}`, "  10: def a(self, other):\n  11:     return self.b(other)"},
			step{"view", `{"from":5}`, "def a(self, other):\nreturn self.b(other)"},
			map[string]bool{"same call": false, "same result": false, "shared lines": true},
		},
		{
			"waiting for a build",
			step{"bash", `{"command":"sleep 30; gh run view 7 --json status"}`, "in_progress"},
			step{"bash", `{"command":"sleep 60; gh run view 7 --json status"}`, "in_progress"},
			map[string]bool{"same call": false, "waits": true, "polls": true},
		},
		{
			"a provider that is overloaded",
			step{"search", `{"q":"x"}`, `429 Too Many Requests, retry in 20s`},
			step{"search", `{"q":"x"}`, `503 Service Unavailable`},
			map[string]bool{"same call": true, "infra": true},
		},
		{
			"a restore, then another way to restore",
			step{"bash", `{"command":"git checkout -- src/a.py"}`, ``},
			step{"bash", `{"command":"cp src/a.py.bak ./src/a.py"}`, ``},
			map[string]bool{"same restore": true, "write": true, "empty": true},
		},
		{
			"content that was never sent",
			step{"search", `{"q":{"$h":"aa11"}}`, ``},
			step{"search", `{"q":{"$h":"aa12"}}`, ``},
			map[string]bool{"same call": false},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := New(Rules{})
			a, b := tell(x, tt.a), tell(x, tt.b)
			got := map[string]bool{
				"same call":       a.Key == b.Key,
				"same result":     a.Result.Hash == b.Result.Hash,
				"same class":      a.Class == b.Class && a.Class != 0,
				"same restore":    a.Restore == b.Restore && a.Restore != 0,
				"shared argument": common(a.Args, b.Args) > 0,
				"shared lines":    common(a.Lines, b.Lines) > 0,
				"error":           a.Error && b.Error,
				"no":              a.Negative && b.Negative,
				"empty":           a.Empty && b.Empty,
				"short":           a.Short && b.Short,
				"infra":           a.Infra && b.Infra,
				"waits":           a.Waits && b.Waits,
				"polls":           a.Polls && b.Polls,
				"write":           a.Effect == Write && b.Effect == Write,
			}
			for claim, want := range tt.want {
				if got[claim] != want {
					t.Errorf("%s: %v, want %v", claim, got[claim], want)
				}
			}
		})
	}
}

func ExampleExtractor() {
	x := New(Rules{})
	a := x.Call("track_parcel", []byte(`{"number": "RM1", "reason": "look"}`), "", Unknown, false)
	b := x.Call("track_parcel", []byte(`{"reason": "look again", "number": "RM1 "}`), "", Unknown, false)
	fmt.Println(a.Effect, a.Key == b.Key, a.Exact == b.Exact)

	r := x.Result(Answer{Tool: "track_parcel", Content: []byte(`"no scans recorded at 10:00:01"`)})
	s := x.Result(Answer{Tool: "track_parcel", Content: []byte(`"no scans recorded at 10:07:12"`)})
	fmt.Println(r.Negative, r.Hash == s.Hash, r.Exact == s.Exact)
	// Output:
	// unknown true false
	// true true false
}
