package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The scanners of this package are written by hand. Here each is held against
// the same definition written down in the shortest way: as regular expressions
// or with encoding/json.

var (
	refTime     = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d([.,]\d+)?\b`)
	refUUID     = regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	refHex      = regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b|\b[0-9a-fA-F]{10,}\b`)
	refDuration = regexp.MustCompile(`\b\d+(\.\d+)?\s?(ms|us|ns|s|sec|secs|seconds?|m\d+s|minutes?)\b`)
	refNamed    = regexp.MustCompile(`(?i)\b((?:pid|nonce)|(?:request|trace|message|msg)[_ -]?id|(?:process|thread|session|req)(?:[_ -]?id)?)(["']?\s*[:=#]\s*["']?)[\w-]*\d[\w-]*`)
)

// refMask is mask by regular expressions.
func refMask(s string) string {
	s = refTime.ReplaceAllString(s, "<ts>")
	s = refUUID.ReplaceAllString(s, "<id>")
	s = refHex.ReplaceAllStringFunc(s, func(m string) string {
		if strings.ContainsAny(m, "xX") || strings.ContainsAny(m, "0123456789") && strings.ContainsAny(m, "abcdefABCDEF") {
			return "<id>"
		}
		return m
	})
	s = refDuration.ReplaceAllString(s, "<dur>")
	return refNamed.ReplaceAllString(s, "${1}${2}<id>")
}

// noise are pieces of text of which some are volatile, some look like it.
var noise = []string{
	"2024-05-16T10:00:01Z", "2024-05-16 10:00", "2024-05-16", "10:00:01", "10:00:01,5", "10:00", "1:00:00",
	"123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b", "0x1f", "0xzz", "9f3c2ab41d", "9f3c2ab41", "1234567890",
	"deadbeefca", "5s", "1.5s", "20 ms", "3m20s", "3m", "4 seconds", "4 second", "4 secondary", "7 minutes", "1.s",
	"pid: 7", "pid=abc1", "PID # 9", "request_id: a1", "Trace-Id=\"b2\"", "message id: none", "session: s-1", "thread: 5",
	"req: 12", "nonce: 5", "message: 5", "requests: 5", "processing: 7", "order 12", "total 3.50", "ok", "é", "→", "(", "]", "a_b",
}

func TestMaskAgainstItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(noise)).Draw(t, "pieces"), rapid.SampledFrom([]string{" ; ", "\n", ", "}).Draw(t, "between"))
		if got, want := string(mask(nil, []byte(text), nil)), refMask(text); got != want {
			t.Fatalf("%q becomes\n%q, want\n%q", text, got, want)
		}
	})
}

var (
	refNegative = regexp.MustCompile(`(?i)\b(no|not|none|nothing|zero|0|empty|without|error|errors|exception|invalid|wrong|fail(ed|ure|s|ures)?|cannot|can't|unable|denied|refused|rejected|missing|unknown|unexpected|must|doesn't exist|too (large|long|many|big))\b`)
	refError    = regexp.MustCompile(`(?i)^\W*(error|exception|traceback|failed|failure|invalid|fatal|wrong)\b|\b(not found|no such|cannot|could not|unable to|not applied|denied|refused|invalid|you must|wrong)\b`)
	refInfra    = regexp.MustCompile(`(?i)\b(429|502|503|504)\b.{0,60}(too many|rate|unavailable|timeout|gateway|overload|service|error)|(too many requests|rate[ _-]?limit|service unavailable|temporarily unavailable|overloaded|bad gateway|gateway time-?out|connection (reset|refused|timed out)|econnreset|etimedout|request timed out|provider (is )?down|provider outage)|^\W*(error[: ]*)?(429|502|503|504)\b`)
)

// vocabulary are words of answers, most of them part of a phrase that counts.
var vocabulary = strings.Fields(`no not none nothing zero 0 10 0.5 empty without error errors exception invalid wrong fail failed
	failure fails failing cannot can't can unable to denied refused rejected missing unknown unexpected must you doesn't exist
	too large long many big larger not found such no could applied traceback fatal notable error_code the order is fine
	429 502 503 504 rate limit rate-limit requests unavailable service temporarily overloaded bad gateway time-out timeout
	connection reset timed out econnreset etimedout request provider is down outage ; : . ( Error: NOT`)

func TestVerdictsAgainstTheirDefinition(t *testing.T) {
	x := New(Rules{})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 12).Draw(t, "words"), rapid.SampledFrom([]string{" ", " ", "\n"}).Draw(t, "between"))
		if got, want := saysNo([]byte(text)), refNegative.MatchString(text); got != want {
			t.Fatalf("%q says no: %v, want %v", text, got, want)
		}
		if got, want := readsAsError([]byte(text)), refError.MatchString(text); got != want {
			t.Fatalf("%q reads as error: %v, want %v", text, got, want)
		}
		if got, want := x.infrastructure([]byte(text)), refInfra.MatchString(text); got != want {
			t.Fatalf("%q is the infrastructure's: %v, want %v", text, got, want)
		}
	})
}

// refFlatten is the flattener on top of encoding/json.
func refFlatten(t *rapid.T, d *json.Decoder, prefix string) string {
	tok, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	delim, container := tok.(json.Delim)
	if !container {
		switch v := tok.(type) {
		case nil:
			return prefix
		case string:
			return prefix + v
		default:
			return prefix + fmt.Sprint(v)
		}
	}
	var lines []string
	any := false
	for d.More() {
		any = true
		key := ""
		if delim == '{' {
			k, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			key = k.(string) + ": "
		}
		if line := refFlatten(t, d, key); line != "" {
			lines = append(lines, line)
		}
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	if !any && delim == '[' {
		return "[]"
	}
	return strings.Join(lines, "\n")
}

func TestFlattenAgainstItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(jsonValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(`"{`)) || bytes.Contains(raw, []byte(`"[`)) || bytes.Contains(raw, []byte(`"\u`)) {
			t.Skip("a string that may hold JSON: the flattener reads into it, its definition does not")
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var f flattener
		if got, want := string(f.appendTo(nil, raw, nil)), refFlatten(t, d, ""); got != want {
			t.Fatalf("%s becomes\n%q, want\n%q", raw, got, want)
		}
	})
}

var refWord = regexp.MustCompile(`[a-z0-9_']+`)

// refPassages is the set of all passages as text.
func refPassages(s string) map[string]bool {
	w := refWord.FindAllString(strings.ToLower(s), -1)
	set := map[string]bool{}
	for i := 0; i+passageWords <= min(len(w), maxPassageWords); i++ {
		set[strings.Join(w[i:i+passageWords], " ")] = true
	}
	return set
}

func TestPassagesAgainstTheirDefinition(t *testing.T) {
	x := New(Rules{Thin: 1})
	letters := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a A b 'c d_e 5 ; - →")), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		a, b := strings.Join(letters.Draw(t, "a"), " "), strings.Join(letters.Draw(t, "b"), " ")
		refA, refB := refPassages(a), refPassages(b)
		shared := 0
		for p := range refA {
			if refB[p] {
				shared++
			}
		}
		gotA, gotB := x.Text(a).Passages, x.Text(b).Passages
		if len(gotA) != len(refA) || len(gotB) != len(refB) || common(gotA, gotB) != shared {
			t.Fatalf("%q and %q: %d and %d passages, %d shared; want %d, %d, %d",
				a, b, len(gotA), len(gotB), common(gotA, gotB), len(refA), len(refB), shared)
		}
	})
}

var refFailing = regexp.MustCompile(`^\W*([\w.]*(Error|Exception|Failure)\b.*|(FAILED|FAIL)\b.*|error[:\[].*|E\s{2,}\S.*|panic:.*)$`)

func TestFailingLinesAgainstTheirDefinition(t *testing.T) {
	pieces := strings.Split("FAILED|FAIL|FAILURE|error:|error[|error|errors:|E|  |panic:|panic|a.ValueError|ValueErrors|Error|x.Exception.y|Failure|:|-|→|é|x y", "|")
	rapid.Check(t, func(t *rapid.T) {
		line := strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 5).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " ", "   "}).Draw(t, "between")))
		if strings.Contains(line, "é") {
			return // for the definition's \W it is no letter
		}
		if got, want := namesFailure([]byte(line)), refFailing.MatchString(line) && len(strings.TrimLeft(line, ":-→ [")) >= 4; got != want {
			t.Fatalf("%q names a failure: %v, want %v", line, got, want)
		}
	})
}
