package app_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/gateway"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

const root = "../.."

// family is a metric as it is exposed.
type family struct {
	name, kind, help string
	labels           []string // sorted, without le
}

var label = regexp.MustCompile(`([a-z_]+)="`)

// parse reads the families of a scrape, by name.
func parse(text string) map[string]*family {
	all := map[string]*family{}
	var f *family
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(rest, " ")
			f = &family{name: name, help: help}
			all[name] = f
		} else if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			_, f.kind, _ = strings.Cut(rest, " ")
		} else if f.labels == nil {
			for _, m := range label.FindAllStringSubmatch(line, -1) {
				if m[1] != "le" {
					f.labels = append(f.labels, m[1])
				}
			}
			slices.Sort(f.labels)
		}
	}
	return all
}

// scrape returns what a processor with a gateway exposes, as text.
func scrape(t *testing.T) string {
	t.Helper()
	front, err := gateway.Options{HTTP: "127.0.0.1:0"}.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Start(t.Context(), app.Options{
		Embedded: true, Volatile: true, Data: t.TempDir(), Version: "test", Ops: "127.0.0.1:0", HTTP: &front,
		Agents: []string{"support"}, Tools: []string{"grep"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done; _ = a.Close() })
	get(t, a.HTTPURL+"/livez") // a request for its counter
	return get(t, "http://"+a.OpsAddr+"/metrics")
}

func get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, res.Status, err)
	}
	return string(b)
}

// contract lists the metrics that others build against, with their labels.
const contract = `events_total{kind} events_rejected_total{reason} findings_total{detector,mode} controls_total{detector,kind}
control_acks_total{outcome} control_ack_seconds halts_ignored_total escalations_open checks_total{decision} check_seconds
detection_delay_seconds runs{state} runs_closed_total{agent,status} runs_fired_total{agent,detector} repeat_events_total{tool}
turns_saved_total cost_saved_usd_total consumer_lag_events last_event_age_seconds{source} watcher_blind replay_mismatches_total
policy_last_reload_successful store_bytes store_limit_bytes build_info{goversion,revision,version}`

func TestMetrics(t *testing.T) {
	text := scrape(t)
	all := parse(text)
	for _, want := range strings.Fields(contract) {
		name, _, _ := strings.Cut(want, "{")
		f := all["loopwatch_"+name]
		if f == nil {
			t.Errorf("%s is not exposed", want)
			continue
		}
		got := name
		if len(f.labels) > 0 {
			got += "{" + strings.Join(f.labels, ",") + "}"
		}
		if got != want {
			t.Errorf("%s is exposed, want %s", got, want)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "loopwatch_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	t.Run("docs", func(t *testing.T) { checkDocs(t, all) })
	t.Run("rules", func(t *testing.T) { checkRules(t, all) })
	t.Run("dashboards", func(t *testing.T) { checkDashboards(t, all) })
	t.Run("runbooks", func(t *testing.T) { checkRunbooks(t, all) })
}

// checkDocs holds the table of docs/metrics.md against what is exposed.
func checkDocs(t *testing.T, all map[string]*family) {
	var b bytes.Buffer
	b.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f := all[name]; strings.HasPrefix(name, "loopwatch_") {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, f.kind, strings.Join(f.labels, ", "), f.help)
		}
	}
	const begin, end = "<!-- generated: metrics -->\n", "<!-- end -->"
	file := filepath.Join(root, "docs", "metrics.md")
	text := read(t, file)
	head, rest, ok := strings.Cut(text, begin)
	table, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != b.String() {
		t.Errorf("%s is out of date: go test ./internal/app -run TestMetrics -update\nwant\n%s", file, b.String())
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
