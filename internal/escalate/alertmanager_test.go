package escalate

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// alertmanager starts Debian's Alertmanager, which hands every alert at once to
// a webhook, and returns its address.
func (s *site) alertmanager(hook string) string {
	s.Helper()
	path := filepath.Join(os.Getenv("LOOPWATCH_PROMETHEUS"), "prometheus-alertmanager")
	exe, err := exec.LookPath(path)
	if err != nil {
		s.Skip("no prometheus-alertmanager: export LOOPWATCH_PROMETHEUS=$(scripts/prometheus-tools)")
	}
	dir := s.TempDir()
	conf := filepath.Join(dir, "alertmanager.yml")
	err = os.WriteFile(conf, []byte(`
route: {receiver: people, group_by: [run, incident], group_wait: 1ms, group_interval: 50ms, repeat_interval: 1h}
receivers: [{name: people, webhook_configs: [{url: "`+hook+`", send_resolved: true}]}]
`), 0o600)
	if err != nil {
		s.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	cmd := exec.Command(exe, "--config.file="+conf, "--storage.path="+dir, "--web.listen-address="+addr, "--cluster.listen-address=")
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	client := newClient(false)
	s.Cleanup(client.CloseIdleConnections)
	s.until("Alertmanager is ready", func() bool {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+addr+"/-/ready", nil)
		if err != nil {
			return false
		}
		resp, err := client.Do(r)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + addr
}

// A real Alertmanager takes our alerts, notifies of them, and notifies again
// when they are resolved.
func TestARealAlertmanager(t *testing.T) {
	s := newSite(t)
	people := newEar(t)
	cfg := s.config(Options{Alertmanagers: []string{s.alertmanager(people.URL)}, Text: Excerpt, Link: "https://lw.example"})
	_, _ = s.run(cfg)
	s.until("it follows", func() bool { return s.followed(0) })
	s.log(0, control("r1"))
	status := func() (last string) {
		for _, r := range people.requests() {
			var n struct {
				Alerts []struct {
					Status string            `json:"status"`
					Labels map[string]string `json:"labels"`
				} `json:"alerts"`
			}
			if err := json.Unmarshal(r.body, &n); err != nil {
				t.Fatal(err)
			}
			for _, a := range n.Alerts {
				if a.Labels["alertname"] == Name && a.Labels["run"] == "r1" {
					last = a.Status
				}
			}
		}
		return last
	}
	s.until("people are told", func() bool { return status() == "firing" })
	s.says("r1", Closed)
	s.until("people are told that it is over", func() bool { return status() == "resolved" })
}
