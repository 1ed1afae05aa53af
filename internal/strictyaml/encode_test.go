package strictyaml

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMarshal(t *testing.T) {
	no := false
	g := garden{
		Name: "a: b", Beds: 3, Acid: 6.5, Fenced: &no, Water: 90 * time.Minute, Tags: []string{"dry", ""},
		Soil: soil{Depth: 40}, Plots: map[string]bed{"south": {Crop: "true"}, "7": {Rows: 2}},
	}
	want := `name: "a: b"
beds: 3
acid: 6.5
open: false
fenced: false
water: 1h30m
tags: [dry, ""]
soil:
  depth: 40
plots:
  "7":
    rows: 2
  south:
    rows: 0
    crop: "true"
`
	if diff := cmp.Diff(want, string(Marshal(g))); diff != "" {
		t.Errorf("Marshal (-want +got):\n%s", diff)
	}
	leaves := Leaves(g)
	if first, last := leaves[0], leaves[len(leaves)-1]; first != (Leaf{"name", `"a: b"`}) || last != (Leaf{"plots.south.crop", `"true"`}) {
		t.Errorf("Leaves begin with %v and end with %v", first, last)
	}
}

// ratio writes itself as a share, and pairs and structs beside each other.
type ratio float64

func (r ratio) WriteYAML() any {
	return Pairs{{"percent", int(r * 100)}, {"of", Beside{soil{Depth: 1}, &bed{Crop: "x"}}}, {"none", Pairs{}}}
}

func TestMarshalLetsTypesWriteThemselves(t *testing.T) {
	v := struct {
		Share ratio `yaml:"share"`
	}{0.25}
	want := "share:\n  percent: 25\n  of:\n    depth: 1\n    rows: 0\n    crop: x\n  none: {}\n"
	if diff := cmp.Diff(want, string(Marshal(v))); diff != "" {
		t.Errorf("Marshal (-want +got):\n%s", diff)
	}
}

func TestDurationsAreShort(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0s"}, {10 * time.Second, "10s"}, {10 * time.Minute, "10m"}, {24 * time.Hour, "24h"},
		{90 * time.Second, "1m30s"}, {time.Hour + 30*time.Second, "1h0m30s"}, {1500 * time.Millisecond, "1.5s"},
	}
	for _, tt := range tests {
		if got := span(tt.d); got != tt.want {
			t.Errorf("span(%d) = %s, want %s", tt.d, got, tt.want)
		}
		if back, err := time.ParseDuration(span(tt.d)); err != nil || back != tt.d {
			t.Errorf("span(%d) reads back as %d, %v", tt.d, back, err)
		}
	}
}

// Whatever a struct holds comes back from its file.
func TestWrittenIsRead(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"true", "null", "~", "1", "1e3", ".5", "off", "a: b", "- x", "#", "'", `"`, `\`, "\n", "\t x", "a\u2028b", "\u0085", "\U000e0001", "\x00", "»", "0x1", "2027-01-31", "!x", "&a", "*a", "%", "{", "]", "|", ">",
	}))
	rapid.Check(t, func(rt *rapid.T) {
		want := garden{
			Name: text.Draw(rt, "name"), Kind: rapid.SampledFrom([]string{"", "herb", "tree"}).Draw(rt, "kind"),
			Beds: rapid.IntRange(1, 20).Draw(rt, "beds"), Acid: rapid.Float64Range(0, 14).Draw(rt, "acid"),
			Water: time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Hour)).Draw(rt, "water")),
			Tags:  rapid.SliceOf(rapid.SampledFrom([]string{"dry", "wet"})).Draw(rt, "tags"),
			Plots: map[string]bed{},
		}
		for range rapid.IntRange(0, 3).Draw(rt, "plots") {
			want.Plots[text.Draw(rt, "plot")] = bed{Rows: rapid.IntRange(-9, 9).Draw(rt, "rows"), Crop: text.Draw(rt, "crop")}
		}
		got, err := read(string(Marshal(want)), garden{})
		if err != nil {
			rt.Fatalf("%v in\n%s", err, Marshal(want))
		}
		if len(want.Plots) == 0 {
			got.Plots = want.Plots
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(garden{})); diff != "" {
			rt.Fatalf("garden (-want +got):\n%s\n%s", diff, Marshal(want))
		}
	})
}

func TestSchema(t *testing.T) {
	want := []Field{
		{"name", "text", "", "what it is called"},
		{"kind", "text", "herb|tree", "what grows"},
		{"beds", "whole number", "1..20", "how many"},
		{"acid", "number", "0..14", "of the soil"},
		{"open", "true or false", "", "to visitors"},
		{"fenced", "true or false", "", "where it is known"},
		{"water", "duration", "1s..1h", "how long"},
		{"tags", "list", "dry|wet", "what is said of it"},
		{"soil", "map", "", "below"},
		{"soil.depth", "whole number", "0..9007199254740991", "centimetres"},
		{"plots", "map", "", "by name"},
		{"plots.NAME.rows", "whole number", "..9", "at most nine"},
		{"plots.NAME.crop", "text", "", "what stands there"},
	}
	if diff := cmp.Diff(want, Schema(garden{})); diff != "" {
		t.Errorf("Schema (-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "name: x", "beds: 1\nbeds: 2", "tags: [dry]", "a: {b: [}", "? [a]\n: 1", "<<: *a", "name: |\n  x\n", "plots: {a: {rows: 1}}", "- - -", "a: !!binary x", "water: 1h", "\"\\u202e\": 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := read(text, garden{Beds: 1, Water: time.Second})
		if err != nil {
			return
		}
		if _, err := read(string(Marshal(g)), garden{}); err != nil {
			t.Errorf("%v in\n%s", err, Marshal(g))
		}
	})
}
