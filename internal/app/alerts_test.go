package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
)

// names finds the metrics that an expression speaks of.
var names = regexp.MustCompile(`\b(?:agent:)?loopwatch_[a-z0-9_:]+`)

// checkNames reports names in a text that are neither exposed nor recorded.
func checkNames(t *testing.T, where, text string, all map[string]*family) {
	t.Helper()
	for _, name := range names.FindAllString(text, -1) {
		base := name
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if b, ok := strings.CutSuffix(name, suffix); ok && all[b] != nil && all[b].kind == "histogram" {
				base = b
			}
		}
		if all[base] == nil && !strings.Contains(read(t, filepath.Join(root, "deployments", "prometheus", "rules.yml")), "record: "+name+"\n") {
			t.Errorf("%s names %s, which nothing exposes or records", where, name)
		}
	}
}

func checkRules(t *testing.T, all map[string]*family) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "deployments", "prometheus", "rules.yml"))), &file); err != nil {
		t.Fatal(err)
	}
	tests := read(t, filepath.Join(root, "deployments", "prometheus", "rules_test.yml"))
	checkNames(t, "rules_test.yml", strings.ReplaceAll(tests, "alertname", ""), all)
	books := map[string]bool{}
	for _, r := range file.Groups[0].Rules {
		checkNames(t, r.Alert, r.Expr, all)
		if r.Alert == "" {
			continue
		}
		for _, a := range []string{r.Labels["severity"], r.Annotations["summary"], r.Annotations["description"]} {
			if a == "" {
				t.Errorf("%s lacks severity, summary or description", r.Alert)
			}
		}
		const base = "https://github.com/loopwatch/loopwatch/blob/main/"
		path, ok := strings.CutPrefix(r.Annotations["runbook_url"], base)
		if books[filepath.Base(path)] = true; !ok || path != "docs/runbooks/"+r.Alert+".md" {
			t.Errorf("%s has the runbook %s", r.Alert, r.Annotations["runbook_url"])
		}
		read(t, filepath.Join(root, path))
		if strings.Count(tests, "alertname: "+r.Alert) < 2 || !strings.Contains(tests, "alertname: "+r.Alert+"\n        exp_alerts:") {
			t.Errorf("%s is not shown to fire and not to fire in rules_test.yml", r.Alert)
		}
	}
	found, err := os.ReadDir(filepath.Join(root, "docs", "runbooks"))
	if err != nil || len(books) < 11 {
		t.Fatalf("%d alerts, %v", len(books), err)
	}
	for _, f := range found {
		if !books[f.Name()] {
			t.Errorf("the runbook %s belongs to no alert", f.Name())
		}
	}
}

func checkDashboards(t *testing.T, all map[string]*family) {
	files, err := filepath.Glob(filepath.Join(root, "deployments", "grafana", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	for _, f := range files {
		var board struct {
			Title  string
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(read(t, f)), &board, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if board.Title == "" || len(board.Panels) == 0 {
			t.Errorf("%s has no title or no panels", f)
		}
		for _, p := range board.Panels {
			if len(p.Targets) == 0 || !names.MatchString(p.Targets[0].Expr) {
				t.Errorf("%s: panel %q asks for nothing", f, p.Title)
			}
			for _, target := range p.Targets {
				checkNames(t, p.Title, target.Expr, all)
			}
		}
	}
}

func checkRunbooks(t *testing.T, all map[string]*family) {
	files, _ := filepath.Glob(filepath.Join(root, "docs", "runbooks", "*.md"))
	for _, f := range append(files, filepath.Join(root, "docs", "metrics.md")) {
		checkNames(t, f, read(t, f), all)
	}
}
