package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"time"
	"unicode"
)

//go:embed page.html.tmpl
var pageText string

// page is the whole report as one file: no script, nothing fetched, everything
// that was recorded escaped by html/template.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"share": share, "bounds": bounds, "percent": percent, "points": points, "number": number, "usd": usd,
	"counts": counts, "dash": dash, "hint": func(h string) string { return Hints[h] },
	"bars": bars, "lanes": lanes, "trend": trend, "stamp": func(t time.Time) string { return t.Format("2006-01-02 15:04 UTC") },
}).Parse(pageText))

// HTML writes the parts that the report has as one self-contained page.
func (r Report) HTML(out io.Writer) error {
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return fmt.Errorf("write report as HTML: %w", err)
	}
	_, err := out.Write(bytes.Map(visible, b.Bytes()))
	return err
}

// visible leaves out what has no look of its own: escape sequences would reach
// a terminal, and bidirectional marks turn round what stands beside them.
func visible(r rune) rune {
	if unicode.IsGraphic(r) || r == '\n' || r == '\t' {
		return r
	}
	return -1
}

// bar is one line of a bar chart; lengths are in percent of the widest.
type bar struct {
	Name, Label string
	Width       float64
	Y           int
}

// chart is a picture of bars, Height user units high; 20 a bar.
type chart struct {
	Bars   []bar
	Height int
	Title  string
}

const (
	mostBars  = 12
	barHeight = 34
)

func (c *chart) add(name, label string, value, most float64) {
	if len(c.Bars) >= mostBars || value <= 0 || most <= 0 {
		return
	}
	c.Bars = append(c.Bars, bar{Name: clip(name), Label: label, Width: math.Max(0.5, 100*value/most), Y: c.Height})
	c.Height += barHeight
}

// clip shortens a name to what a chart has room for.
func clip(s string) string {
	const room = 40
	if r := []rune(s); len(r) > room {
		return string(r[:room-1]) + "…"
	}
	return s
}

// bars pictures the tools by wasted money, or by repeat events where no money
// is known.
func bars(t *Tools) chart {
	money, most := false, 0.0
	for _, x := range t.Tools {
		money = money || x.USD > 0
	}
	value := func(x Tool) float64 {
		if money {
			return x.USD
		}
		return float64(x.Repeats)
	}
	for _, x := range t.Tools {
		most = math.Max(most, value(x))
	}
	c := chart{Title: "Repeat events, by tool"}
	if money {
		c.Title = "Reported USD of wasted turns, by tool"
	}
	for _, x := range t.Tools {
		label := number(value(x))
		if money {
			label = usd(x.USD)
		}
		c.add(x.Tool, label, value(x), most)
	}
	return c
}

// lane is one rate with its bounds, in percent of the width.
type lane struct {
	Name, Label   string
	Y             int
	Low, High, At float64
	Held          bool
}

// lanes pictures interventions with their bounds, and the holdout below each.
func lanes(t *Interventions) (out struct {
	Lanes  []lane
	Height int
}) {
	add := func(name string, r Rate, held bool) {
		if r.Runs == 0 || len(out.Lanes) >= 2*mostBars {
			return
		}
		out.Lanes = append(out.Lanes, lane{
			Name: clip(name), Label: share(r.Ended, r.Runs), Y: out.Height, Held: held,
			Low: 100 * r.AtLeast, High: 100 * r.AtMost, At: 100 * r.Rate,
		})
		out.Height += barHeight
	}
	for _, x := range t.Rows {
		if x.Kind != "inject_observation" {
			continue
		}
		name := x.Detector + " rung " + fmt.Sprint(x.Rung) + " " + x.Variant
		if x.Model != "" {
			name += ", " + x.Model
		}
		add(name, x.Acted, false)
		add("left alone", x.Holdout, true)
	}
	return out
}
