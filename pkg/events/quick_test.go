package events

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// agree holds the one pass against the plain decoder: where it is sure, the
// plain one reads the same.
func agree(t *testing.T, data []byte) (sure bool) {
	t.Helper()
	var d Decoder
	var got Event
	given := string(data)
	if !d.quick(data, &got) {
		return false
	}
	want, rej := decode(data, len(data)+1)
	if rej != nil {
		t.Fatalf("sure of %q, which is refused: %v", data, rej)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q is read otherwise (-plain +quick):\n%s", data, cmp.Diff(want, got))
	}
	if given != string(data) {
		t.Fatalf("%q was changed to %q", given, data)
	}
	return true
}

const (
	quickCall   = `{"v":1,"id":"e1","kind":"tool_call","run":"r","seq":2,"time":"2026-01-05T09:00:00.25+02:00","round":1,"call":{"id":"c1","tool":"grep","args":{"q":"a\nb\u00e9","n":[1,-2.5e3,true,null,{}]}}}`
	quickResult = `{"v": 1, "id": "e2", "kind": "tool_result", "run": "r", "seq": 3, "time": "2026-01-05T09:00:01Z", "round": 1, "result": {"call_id": "c1", "content": {"a": [1, 2]}, "error": {"message": "no \"x\"", "code": "E1", "retryable": true}, "changed": false, "duration_ms": 12}}`
	quickTurn   = `{"v":1,"id":"e3","kind":"turn","tenant":"shop","agent":"a","task":"t","run":"r","seq":4,"time":"2026-02-28T23:59:59.123456789Z","round":2,"turn":{"text":"é\tü\/","usage":{"input_tokens":9,"output_tokens":8,"cached_tokens":7},"cost_usd":-0.0,"state":null,"steps_completed":3}}`
	quickStart  = `{"v":1,"id":"e0","kind":"run_start","run":"r","seq":0,"time":"2024-02-29T00:00:00-00:30","stored":"2026-01-05T09:00:00Z","stream_seq":5,"partition":3,"start":{"model":"m","attempt":2,"goal":"g"}}`
	quickEnd    = `{"v":1,"id":"e9","kind":"run_end","run":"r","parent":"p","origin":"agent","seq":9,"time":"2026-01-05T09:00:00Z","end":{"status":"done","reason":"all said"}}`
	quickSaid   = `{"v":1,"id":"e8","kind":"message","run":"r","seq":8,"time":"2026-01-05T09:00:00Z","message":{"role":"user","to":"x","text":""}}`
)

func TestUsualMessagesAreReadInOnePass(t *testing.T) {
	for _, line := range []string{quickCall, quickResult, quickTurn, quickStart, quickEnd, quickSaid} {
		if !agree(t, []byte(line)) {
			t.Errorf("not sure of %s", line)
		}
	}
}

// What is out of the ordinary is left to the plain decoder, right or wrong.
func TestUnusualMessagesAreLeftToThePlainDecoder(t *testing.T) {
	for name, change := range map[string][2]string{
		"a field that is not known":     {`"v":1`, `"v":1,"later":1`},
		"a field twice":                 {`"v":1`, `"v":1,"v":1`},
		"a name twice deep down":        {`"n":[`, `"q":[`},
		"an escape in a name":           {`"q":`, `"\u0071":`},
		"half of a pair":                {`\u00e9`, `\ud800`},
		"an escape that is none":        {`\u00e9`, `\x00`},
		"an escape that ends early":     {`\u00e9`, `\u00`},
		"a control character":           {`\n`, "\n"},
		"no UTF-8":                      {`\n`, "\xff"},
		"another version":               {`"v":1`, `"v":2`},
		"a whole number with a point":   {`"seq":2`, `"seq":2.0`},
		"a whole number that is signed": {`"seq":2`, `"seq":-2`},
		"a whole number that is large":  {`"seq":2`, `"seq":1000000000000000`},
		"a number with a zero in front": {`-2.5e3`, `-02.5e3`},
		"a number without a digit":      {`-2.5e3`, `-`},
		"a point without a digit":       {`-2.5e3`, `2.`},
		"an exponent without a digit":   {`-2.5e3`, `2e+`},
		"no sequence":                   {`"seq":2,`, ``},
		"no round":                      {`"round":1,`, ``},
		"another kind than the body":    {`"tool_call"`, `"turn"`},
		"two bodies":                    {`"v":1`, `"turn":{},"v":1`},
		"an unknown kind":               {`"tool_call"`, `"other"`},
		"a null":                        {`"run":"r"`, `"run":"r","task":null`},
		"an unknown field of the body":  {`"id":"c1"`, `"id":"c1","more":1`},
		"a name that is no name":        {`"run":"r"`, `"run":"a b"`},
		"a month of 13":                 {`2026-01`, `2026-13`},
		"a 30th of February":            {`2026-01-05`, `2026-02-30`},
		"a leap second":                 {`09:00:00`, `09:00:60`},
		"ten digits of a second":        {`.25+`, `.2500000000+`},
		"a point without a fraction":    {`.25+`, `.+`},
		"a zone that is none":           {`+02:00`, `+2:00`},
		"a zone of 24 hours":            {`+02:00`, `+24:00`},
		"no zone":                       {`+02:00`, ``},
		"a comma too many":              {`{}]`, `{},]`},
		"something behind":              {`"b"`, `"b"`},
		"a word that is none":           {`true`, `trux`},
	} {
		line := strings.Replace(quickCall, change[0], change[1], 1)
		if name == "something behind" {
			line += "{}"
		}
		if agree(t, []byte(line)) {
			t.Errorf("%s: sure of %s", name, line)
		}
	}
	deep := strings.Replace(quickCall, `{}]`, strings.Repeat("[", maxNested)+strings.Repeat("]", maxNested)+"]", 1)
	if agree(t, []byte(deep)) {
		t.Error("sure of what is nested deep")
	}
	for i := range len(quickCall) {
		if agree(t, []byte(quickCall[:i])) {
			t.Errorf("sure of %s", quickCall[:i])
		}
	}
}

func TestManyNamesAreLeftToThePlainDecoder(t *testing.T) {
	for n, want := range map[int]bool{maxNames: true, maxNames + 1: false} {
		var names []string
		for i := range n {
			names = append(names, `"n`+strings.Repeat("x", i)+`":0`)
		}
		line := strings.Replace(quickCall, `{"q":"a\nb\u00e9","n":[1,-2.5e3,true,null,{}]}`, "{"+strings.Join(names, ",")+"}", 1)
		if agree(t, []byte(line)) != want {
			t.Errorf("%d names: sure is %t", n, !want)
		}
	}
}

// Nothing of one message is left in the next, and what the decoder held before
// does not change what it reads.
func TestDecoderIsUsedAgain(t *testing.T) {
	var d Decoder
	lines := []string{quickCall, quickResult, quickTurn, `{"v":1}`, quickStart, quickEnd, quickSaid, quickResult, quickCall}
	for _, line := range lines {
		var got Event
		err := d.Decode([]byte(line), 0, &got)
		want, rej := decode([]byte(line), DefaultLimit)
		if rej != nil {
			want = Event{}
		}
		if (rej != nil) != (err != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s (%v; -fresh +used):\n%s", line, err, cmp.Diff(want, got))
		}
	}
}

// The function's events alias nothing of the caller's.
func TestDecodeOwnsItsEvent(t *testing.T) {
	for _, line := range []string{quickCall, quickResult, quickTurn, quickStart} {
		data := []byte(line)
		got, err := Decode(data, 0)
		for i := range data {
			data[i] = 'x'
		}
		if want, rej := decode([]byte(line), DefaultLimit); err != nil || rej != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s (%v %v):\n%s", line, err, rej, cmp.Diff(want, got))
		}
	}
}

func TestDecodeAllocates(t *testing.T) {
	for _, line := range []string{quickCall, quickResult, quickTurn, quickStart, quickEnd, quickSaid} {
		data := []byte(line)
		var d Decoder
		var e Event
		own := testing.AllocsPerRun(100, func() {
			if err := d.Decode(data, 0, &e); err != nil {
				t.Fatal(err)
			}
		})
		if own > 0 {
			t.Errorf("%v allocations for %s, want none", own, line)
		}
	}
}

// Recorded runs and cases are what the one pass is made for: it reads nearly all
// of them, and as the plain decoder does.
func TestRecordedRunsAreReadInOnePass(t *testing.T) {
	dir := os.Getenv("LOOPWATCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "runs", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Skipf("recorded runs are missing, set LOOPWATCH_SHARED (%v)", err)
	}
	sure, all := 0, 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		s := bufio.NewScanner(z)
		s.Buffer(nil, 16<<20)
		for s.Scan() {
			if all++; agree(t, s.Bytes()) {
				sure++
			}
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if sure*10 < all*9 {
		t.Errorf("sure of %d of %d recorded events, want nine in ten", sure, all)
	}
	t.Logf("sure of %d of %d", sure, all)
}

func FuzzQuick(f *testing.F) {
	for _, line := range []string{quickCall, quickResult, quickTurn, quickStart, quickEnd, quickSaid} {
		f.Add([]byte(line))
		f.Add([]byte(strings.ReplaceAll(line, ",", " ,\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}
