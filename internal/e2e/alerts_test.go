package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/demo"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// rulesDir holds the rules that we ship.
const rulesDir = "../../deployments/prometheus"

// tool returns the path of a program of Debian's prometheus packages. They are
// looked for in LOOPWATCH_PROMETHEUS, as scripts/prometheus-tools prints it, and
// on the path; without them the test is skipped, but not in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv("LOOPWATCH_PROMETHEUS"); dir != "" {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("LOOPWATCH_PROMETHEUS: %v", err)
		}
		return path
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is missing in CI: export LOOPWATCH_PROMETHEUS=\"$(scripts/prometheus-tools)\"", name)
	default:
		t.Skipf("%s is not here: export LOOPWATCH_PROMETHEUS=\"$(scripts/prometheus-tools)\"", name)
	}
	return ""
}

// Each shipped rule fires when it should and not otherwise.
func TestTheRulesPassTheirTests(t *testing.T) {
	promtool := tool(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = rulesDir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// notice is what Alertmanager's webhook sends.
type notice struct {
	Status string `json:"status"`
	Alerts []struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"alerts"`
}

// A fleet that loops is seen by a real Prometheus, and a real Alertmanager
// tells people. The shipped rules are loaded as they are, but for the time that
// an alert must last before it is raised.
func TestALoopingFleetAlertsPeople(t *testing.T) {
	prometheus, alertmanager := tool(t, "prometheus"), tool(t, "prometheus-alertmanager")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	notices := make(chan notice, 64)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notice
		if err := json.NewDecoder(r.Body).Decode(&n); err == nil {
			notices <- n
		}
	}))
	t.Cleanup(hook.Close)
	a := watched(ctx, t)

	dir := t.TempDir()
	manager, scraper := freeAddress(t), freeAddress(t)
	write(t, dir, "alertmanager.yml", fmt.Sprintf(`
route: {receiver: people, group_by: [alertname], group_wait: 0s, group_interval: 1s}
receivers: [{name: people, webhook_configs: [{url: %q}]}]
`, hook.URL))
	rules, err := os.ReadFile(filepath.Join(rulesDir, "rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "rules.yml", regexp.MustCompile(`(?m)^ +for: .*$`).ReplaceAllString(string(rules), ""))
	write(t, dir, "prometheus.yml", fmt.Sprintf(`
global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
scrape_configs: [{job_name: loopwatch, static_configs: [{targets: [%q]}]}]
`, manager, a.OpsAddr))
	background(ctx, t, alertmanager, "--config.file="+filepath.Join(dir, "alertmanager.yml"), "--storage.path="+filepath.Join(dir, "am"),
		"--web.listen-address="+manager, "--cluster.listen-address=")
	background(ctx, t, prometheus, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "tsdb"),
		"--web.listen-address="+scraper)
	scraped(ctx, t, "http://"+scraper)

	policy := preset(t, "default")
	var fleet demo.Fleet
	if err := fleet.Run(ctx, demo.Options{
		URL: a.URL, Trusted: actions.NewKeyRing(a.Keys.Control.Public()), Guard: policy, Agents: 40, Seed: 1, Duration: time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	raised := map[string]bool{}
	for !raised["LoopwatchGuardFireRateHigh"] || !raised["LoopwatchEscalationUnanswered"] {
		select {
		case n := <-notices:
			for _, al := range n.Alerts {
				if name := al.Labels["alertname"]; !raised[name] {
					raised[name] = n.Status == "firing" && al.Annotations["runbook_url"] != "" && al.Labels["severity"] != ""
					t.Logf("%s %s: %s", n.Status, name, al.Annotations["summary"])
				}
			}
		case <-ctx.Done():
			t.Fatalf("Alertmanager told of %v only", raised)
		}
	}
	for _, quiet := range []string{"LoopwatchWatcherBlind", "LoopwatchReplayMismatch", "LoopwatchPolicyReloadFailed"} {
		if raised[quiet] {
			t.Errorf("%s was raised, of a fleet that is watched", quiet)
		}
	}
}

// watched is a processor in this process, ready, with metrics.
func watched(ctx context.Context, t *testing.T) *app.App {
	t.Helper()
	a, err := app.Start(ctx, app.Options{
		Embedded: true, Volatile: true, Data: t.TempDir(), Policy: preset(t, "default"), Version: "test", Ops: "127.0.0.1:0",
	})
	if err != nil {
		t.Fatal(err)
	}
	run, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Run(run) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-a.Processor.Ready():
	case <-ctx.Done():
		t.Fatal("the processor does not become ready")
	}
	return a
}

// background runs a program until the test ends; what it says is told where the
// test fails.
func background(ctx context.Context, t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, name, args...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), said.String())
		}
	})
}

// scraped waits until Prometheus has read the processor's metrics twice.
func scraped(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	const query = "/api/v1/query?query=count_over_time(loopwatch_watcher_blind%5B1m%5D)%3E1"
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			var answer struct {
				Data struct{ Result []any }
			}
			err = json.NewDecoder(res.Body).Decode(&answer)
			_ = res.Body.Close()
			if err == nil && len(answer.Data.Result) > 0 {
				return
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("Prometheus does not scrape the processor")
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
