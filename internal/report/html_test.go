package report

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// hostile is what a tool may be named and may answer.
const hostile = `</code></svg><script>alert("1")</script><img src=x onerror=alert(1)>'" {{.Counted}} javascript:alert(1) url(http://evil)`

func TestThePageHoldsNoControlCharacters(t *testing.T) {
	r := filled()
	r.Tools.Tools[0].Tool = "a\x1b[31m\x07\u009b\r\u202eb\u200b\u2028\x00 – ü"
	page := html(t, r)
	if strings.ContainsAny(page, "\x1b\a\u009b\r\u202e\u200b\u2028\x00") || !strings.Contains(page, "a[31mb") || !strings.Contains(page, " – ü") {
		t.Error("what has no look of its own is in the page, or what has is not")
	}
}

// fill writes hostile text into every string of a value and makes one entry in
// every list.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(hostile), reflect.ValueOf(3))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

func filled() Report {
	var r Report
	fill(reflect.ValueOf(&r).Elem())
	r.Interventions.Rows[0].Kind = actions.Inject // what pictures are drawn of
	return r
}

func html(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	tags       = regexp.MustCompile(`<[a-zA-Z!/][^<>]*>`)
	allowed    = regexp.MustCompile(`^</?(!doctype|html|head|meta|title|style|body|h1|h2|p|nav|a|ul|li|b|span|strong|em|code|figure|figcaption|svg|text|tspan|rect|line|circle|table|thead|tbody|tr|th|td)[ >]`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
	attributes = regexp.MustCompile(` (on[a-z]+|src|xlink:href|formaction)=`)
	links      = regexp.MustCompile(`<a href="([^"]*)"`)
)

// Whatever a tool is called and answers, the page holds no element, attribute
// or address of its making.
func TestThePageEscapesWhatWasRecorded(t *testing.T) {
	page := html(t, filled())
	if strings.Count(page, "&lt;script&gt;alert(&#34;1&#34;)") < 10 {
		t.Error("the hostile text is hardly shown: the page says less than was recorded")
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("a value was put where it cannot be escaped")
	}
	for _, tag := range tags.FindAllString(page, -1) {
		if !allowed.MatchString(tag) {
			t.Errorf("element %q is none of the page's own", tag)
		}
		if a := attributes.FindString(quoted.ReplaceAllString(tag, `""`)); a != "" {
			t.Errorf("attribute%s in %q", a, tag)
		}
	}
	for _, l := range links.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(l[1], "#") {
			t.Errorf("a link leads to %q", l[1])
		}
	}
}

// The page stands by itself: nothing is fetched, nothing runs, and a browser is
// told so.
func TestThePageIsSelfContained(t *testing.T) {
	page := html(t, Report{Tools: &Tools{}, Interventions: &Interventions{}, Savings: &Savings{}, Rates: &Rates{}, Blocked: &Blocked{}})
	for _, not := range []string{"<script", "http://", "https://", "url(", "@import", "<link", "<iframe"} {
		if strings.Contains(page, not) {
			t.Errorf("the page holds %q", not)
		}
	}
	for _, want := range []string{
		`default-src 'none'`, "prefers-color-scheme: dark", `content="width=device-width, initial-scale=1"`, "max-width: 640px",
		"No tool was called.", "Nothing was done.", "No run closed.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Each report is a page of its own.
func TestThePageHoldsWhatWasAskedFor(t *testing.T) {
	for _, name := range Names() {
		r, ok := filled().Only(name)
		if !ok {
			t.Fatalf("%s is no report", name)
		}
		page := html(t, r)
		for _, other := range Names() {
			if got := strings.Contains(page, `<h2 id="`+other+`"`); got != (other == name) {
				t.Errorf("the page of %s holds %s: %v", name, other, got)
			}
		}
	}
	if _, ok := filled().Only("costs"); ok {
		t.Error("costs is a report")
	}
}

// Pictures stay bounded and inside their frame, whatever the figures are.
func TestPictures(t *testing.T) {
	many := &Tools{}
	for i := range 40 {
		many.Tools = append(many.Tools, Tool{Tool: strings.Repeat("x", 200), Repeats: 40 - i, USD: float64(40 - i)})
	}
	c := bars(many)
	if len(c.Bars) != mostBars || c.Height != mostBars*barHeight || c.Bars[0].Width != 100 || len([]rune(c.Bars[0].Name)) > 40 {
		t.Errorf("%d bars, %d high, first %+v", len(c.Bars), c.Height, c.Bars[0])
	}
	if c := bars(&Tools{Tools: []Tool{{Tool: "a", Repeats: 4}, {Tool: "b", Repeats: 1}}}); c.Bars[1].Width != 25 || c.Bars[1].Label != "1" {
		t.Errorf("without money repeat events are drawn: %+v", c.Bars)
	}
	var points []Point
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for i := range 500 {
		points = append(points, Point{Time: start.Add(time.Duration(i) * time.Hour), Fire: Fire{Fired: i, Closed: 1, Rate: float64(i)}})
	}
	l := trend(points)
	if len(l.Dots) != mostDots || l.Top != "49900 %" {
		t.Errorf("%d dots up to %s", len(l.Dots), l.Top)
	}
	for _, d := range l.Dots {
		if d.X < 0 || d.X > 100 || d.Y < 0 || d.Y > lineHeight {
			t.Fatalf("a dot is outside: %+v", d)
		}
	}
	if l := trend(nil); len(l.Dots) != 0 {
		t.Errorf("nothing is drawn as %+v", l)
	}
}
