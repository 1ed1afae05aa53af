package features

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said returns the features of a result that is a text.
func said(x *Extractor, text string) Result {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return x.Result(Answer{Tool: "t", Content: b})
}

// failed returns the features of an error with a message and no content.
func failed(x *Extractor, message string, echoes ...Hash) Result {
	return x.Result(Answer{Tool: "t", Failed: true, Message: message, Echoes: echoes})
}

func TestResultHash(t *testing.T) {
	tests := []struct {
		name string
		a, b Answer
		same bool
	}{
		{"times", Answer{Content: []byte(`"at 10:00:01 done"`)}, Answer{Content: []byte(`"at 10:00:09 done"`)}, true},
		{"request ids", Answer{Content: []byte(`{"ok":1,"request_id":"a1"}`)}, Answer{Content: []byte(`{"ok":1,"request_id":"b2"}`)}, true},
		{"escapes", Answer{Content: []byte(`"\u0061"`)}, Answer{Content: []byte(`"a"`)}, true},
		{"JSON sent as text", Answer{Content: []byte(`{"a":1}`)}, Answer{Content: []byte(`"{\"a\": 1}"`)}, true},
		{"another value", Answer{Content: []byte(`{"a":1}`)}, Answer{Content: []byte(`{"a":2}`)}, false},
		{"another day", Answer{Content: []byte(`"2024-05-16"`)}, Answer{Content: []byte(`"2024-05-17"`)}, false},
		{"content and error", Answer{Content: []byte(`"x"`)}, Answer{Failed: true, Message: "x"}, false},
		{"an error's message", Answer{Failed: true, Message: "a"}, Answer{Failed: true, Message: "b"}, false},
		{"what was cut off", Answer{Content: []byte(`"x"`), Truncated: true, SHA: "1"}, Answer{Content: []byte(`"x"`), Truncated: true, SHA: "2"}, false},
		{"what was cut off an error", Answer{Failed: true, Message: "x", Truncated: true, SHA: "1"}, Answer{Failed: true, Message: "x", Truncated: true, SHA: "2"}, true},
		{"a digest of what is whole", Answer{Content: []byte(`"x"`), SHA: "1"}, Answer{Content: []byte(`"x"`), SHA: "2"}, true},
		{"equal opaque content", Answer{Content: []byte(`{"$h":"9f3c2ab41d"}`)}, Answer{Content: []byte(` {"$h":"9f3c2ab41d"}`)}, true},
		{"different opaque content", Answer{Content: []byte(`{"$h":"9f3c2ab41d"}`)}, Answer{Content: []byte(`{"$h":"9f3c2ab41e"}`)}, false},
		{"no content at all", Answer{}, Answer{Content: []byte(`null`)}, true},
		{"a volatile field", Answer{Tool: "v", Content: []byte(`{"n":1,"etag":{"x":1}}`)}, Answer{Tool: "v", Content: []byte(`{"n":1,"etag":[2]}`)}, true},
		{"a volatile field in text", Answer{Tool: "v", Content: []byte(`"etag: 1"`)}, Answer{Tool: "v", Content: []byte(`"etag: 2"`)}, true},
		{"a volatile field of another tool", Answer{Tool: "w", Content: []byte(`"etag: 1"`)}, Answer{Tool: "w", Content: []byte(`"etag: 2"`)}, false},
	}
	x := New(Rules{Tools: map[string]ToolRule{"v": {Volatile: []string{"etag"}}}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := x.Result(tt.a), x.Result(tt.b)
			if same := a.Hash == b.Hash; same != tt.same {
				t.Errorf("same = %v, want %v", same, tt.same)
			}
			if a.Exact == b.Exact && a.Hash != b.Hash {
				t.Error("exactly equal results have different hashes")
			}
		})
	}
}

func TestExactHashIsUnmasked(t *testing.T) {
	x := New(Rules{Tools: map[string]ToolRule{"v": {Volatile: []string{"etag"}}}})
	for _, pair := range [][2]string{{`"at 10:00:01"`, `"at 10:00:02"`}, {`{"etag":1}`, `{"etag":2}`}} {
		a, b := x.Result(Answer{Tool: "v", Content: []byte(pair[0])}), x.Result(Answer{Tool: "v", Content: []byte(pair[1])})
		if a.Hash != b.Hash || a.Exact == b.Exact {
			t.Errorf("%s and %s: masked %v, exact %v", pair[0], pair[1], a.Hash == b.Hash, a.Exact == b.Exact)
		}
	}
}

func TestLongResultsCountToTheirEnd(t *testing.T) {
	x := New(Rules{})
	body := strings.Repeat("a line of text\n", 12_000)
	if said(x, body+"x").Hash == said(x, body+"y").Hash {
		t.Error("the end of a long result does not count")
	}
	if r := said(x, body); r.Chars != len(body) || r.Error || r.Negative {
		t.Errorf("%+v", r)
	}
}

func TestReadsAsError(t *testing.T) {
	tests := map[string]bool{
		"Error: bad id":                           true,
		"❌ Failed to apply":                       true,
		"Traceback (most recent call last):":      true,
		"User 7 not found":                        true,
		"bash: foo: No such file or directory":    true,
		"I could not do it":                       true,
		"Your edit was NOT APPLIED":               true,
		"you must pass an id":                     true,
		"value is wrong":                          true,
		"The cabin is invalid":                    true,
		"0 errors, all fine":                      false,
		"found 3 errors":                          false,
		"error_code: none":                        false,
		"not\nfound":                              false,
		"status: delivered":                       false,
		"no scans recorded":                       false,
		strings.Repeat("fine ", 50) + "not found": false,
		"Syntax OK":                               false,
		"":                                        false,
	}
	x := New(Rules{})
	for text, want := range tests {
		if got := said(x, text).Error; got != want {
			t.Errorf("%.40q: %v, want %v", text, got, want)
		}
	}
	if long := "Error: x\n" + strings.Repeat("y", maxError); said(x, long).Error {
		t.Error("a long text is an error because of its first word")
	}
	if !x.Result(Answer{Failed: true, Content: []byte(`"fine"`)}).Error {
		t.Error("a declared error is none")
	}
}

func TestNegativeEmptyShort(t *testing.T) {
	tests := []struct {
		text                   string
		negative, empty, short bool
	}{
		{"no scans recorded", true, false, true},
		{"0 results", true, false, true},
		{"total: 0", true, false, true},
		{"You can't do that", true, false, true},
		{"it doesn't exist", true, false, true},
		{"the file is too large", true, false, true},
		{"too\nlarge", false, false, true},
		{"seat 10 of 100 is available", false, false, true},
		{"Edit applied. Review the changes and make sure they are as expected.", false, false, false},
		{"notable and nowhere", false, false, true},
		{"", true, true, true},
		{" \n0\n", true, true, true},
		{"[]", true, true, true},
		{"null", true, true, true},
		{"<returncode>0</returncode>\n<output>\n</output>", true, true, true},
		{"10", false, false, true},
		{strings.Repeat("word ", 100) + "nothing", false, false, false},
	}
	x := New(Rules{})
	for _, tt := range tests {
		r := said(x, tt.text)
		if r.Negative != tt.negative || r.Empty != tt.empty || r.Short != tt.short {
			t.Errorf("%.40q: negative %v, empty %v, short %v", tt.text, r.Negative, r.Empty, r.Short)
		}
	}
	if r := failed(x, "boom"); !r.Negative || r.Empty {
		t.Errorf("an error without content: %+v", r)
	}
	if r := x.Result(Answer{Content: []byte(`[]`)}); !r.Empty || !r.Negative {
		t.Errorf("an empty array: %+v", r)
	}
}

func TestInfrastructure(t *testing.T) {
	x := New(Rules{})
	for _, text := range []string{
		"429 Too Many Requests", "Error 503", "error: 502", "HTTP 504: upstream gateway gave up", "Rate limit exceeded",
		"rate_limit hit", "Service Unavailable", "read: connection reset by peer", "ETIMEDOUT", "Request timed out", "model is at capacity",
	} {
		if !said(x, text).Infra || !failed(x, text).Infra {
			t.Errorf("%q is not the infrastructure's", text)
		}
	}
	for _, text := range []string{
		"seat 429 is taken", "the fare is $503 with service fee", "503.10 error", "order #429: error", "no capacity listed",
		"User not found", "invoice-502 has an error", "", strings.Repeat("line of a log\n", 40) + "503 service unavailable",
	} {
		if said(x, text).Infra || failed(x, text).Infra && len(text) < maxInfra {
			t.Errorf("%.40q is taken for the infrastructure's", text)
		}
	}
	for _, a := range []Answer{{Failed: true, Retryable: true}, {Failed: true, Code: "RATE-LIMITED"}, {Failed: true, Code: "429"}} {
		if !x.Result(a).Infra {
			t.Errorf("%+v is not the infrastructure's", a)
		}
	}
	for _, a := range []Answer{{Failed: true, Code: "404"}, {Code: "429"}, {Failed: true, Code: strings.Repeat("x", 99)}} {
		if x.Result(a).Infra {
			t.Errorf("%+v is taken for the infrastructure's", a)
		}
	}
}

func TestFailingCheck(t *testing.T) {
	x := New(Rules{})
	check := func(lines ...string) Hash {
		return said(x, "collected 3 items\n"+strings.Join(lines, "\n")+"\n= 1 failed, 2 passed in 0.12s =").Failing
	}
	a := check("FAILED tests/test_a.py::test_one - AssertionError: expected 12 rows from the table", "E   assert rows(12) == rows(13), the number of rows in the second table", "error: cannot parse a.py:12, line 7")
	if a == 0 {
		t.Fatal("a failing check has no signature")
	}
	if b := check("FAILED tests/test_a.py::test_one - AssertionError: expected 12 rows from the table", "E   assert rows(12) == rows(13), the number of rows in the second table", "other output", "error: cannot parse a.py:99, line 8"); a != b {
		t.Error("line numbers and lines that name no failure count")
	}
	if b := check("FAILED tests/test_a.py::test_one - AssertionError: expected 12 rows from the table", "E   assert rows(12) == rows(13), the number of rows in the second table"); a == b {
		t.Error("a failure more does not count")
	}
	if b := check("FAILED tests/test_b.py::test_two - AssertionError: expected 12 rows from the table", "E   assert rows(12) == rows(13), the number of rows in the second table"); a == b {
		t.Error("different failures are one")
	}
	if check("FAILED a.py") != 0 || check() != 0 {
		t.Error("a short signature counts")
	}
}

func TestLines(t *testing.T) {
	x := New(Rules{})
	a := said(x, "1: def one(a, b):\nshort\n  2: def two(a, b):\n1: def one(a, b):\nran in 1.5s so far\n").Lines
	b := said(x, "7: def one(a, b):\n\n8|def two(a, b):\nran in 2.5s so far").Lines
	if len(a) != 3 {
		t.Fatalf("%d lines, want 3", len(a))
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("line numbers or times count: %s", diff)
	}
	var many strings.Builder
	for i := range maxLines + 50 {
		many.WriteString(strings.Repeat("x", 12+i) + "\n")
	}
	if got := len(said(x, many.String()).Lines); got != maxLines {
		t.Errorf("%d lines, want %d", got, maxLines)
	}
}

func TestOpaqueResult(t *testing.T) {
	x := New(Rules{})
	r := x.Result(Answer{Content: []byte(`{"$h":"ab12"}`)})
	if r.Error || r.Empty || r.Negative || r.Short || r.Chars != 0 || r.Lines != nil || r.Hash == 0 {
		t.Errorf("unseen content tells something: %+v", r)
	}
	e := x.Result(Answer{Content: []byte(`{"$h":"ab12"}`), Failed: true, Message: "User 7 not found"})
	if !e.Error || !e.Negative || e.Class != failed(x, "User 8 not found").Class || e.Hash == r.Hash {
		t.Errorf("the message beside unseen content is not read: %+v", e)
	}
}

func TestResultIsIndependentOfWhatCameBefore(t *testing.T) {
	x := New(Rules{})
	first := said(x, "Error: user 7 not found in the table of all users there are")
	kept := first.Lines[0]
	said(x, strings.Repeat("other words here, many of them\n", 50))
	failed(x, "boom")
	again := said(x, "Error: user 7 not found in the table of all users there are")
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	if first.Lines[0] != kept {
		t.Error("a result changed after it was returned")
	}
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"a":"{\"b\":[1,2"}`), "ValueError: 'x' at 0x1f", "429")
	f.Add([]byte(`"<output>\nFAILED a.py:12 - E   x"`), "can't find 'a' in `b", "")
	f.Add([]byte(`[[{"$h":"x"}]]`), "\xff'\x01", "timeout")
	f.Fuzz(func(t *testing.T, content []byte, message, code string) {
		x := New(Rules{Tools: map[string]ToolRule{"v": {Volatile: []string{"a"}}}})
		for _, tool := range []string{"t", "v"} {
			a := Answer{Tool: tool, Content: content, Failed: message != "", Message: message, Code: code}
			r := x.Result(a)
			if r.Hash == 0 || r.Exact == 0 || (r.Class == 0) == r.Error || len(r.Lines) > maxLines || r.Chars > len(content) {
				t.Fatalf("%+v", r)
			}
			if diff := cmp.Diff(r, x.Result(a)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
