package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/loopwatch/loopwatch/pkg/events"
)

var deployments = filepath.Join("..", "..", "deployments")

func deployed(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{deployments}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every command line in the deployments is one that this program takes.
func TestDeploymentsSayWhatWeTake(t *testing.T) {
	type container struct {
		Name string
		Args []string
	}
	set := func(parts ...string) []string {
		var s struct {
			Spec struct {
				Template struct {
					Spec struct{ Containers []container }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(deployed(t, parts...)), &s); err != nil || len(s.Spec.Template.Spec.Containers) != 1 {
			t.Fatalf("%v: %+v, %v", parts, s, err)
		}
		return s.Spec.Template.Spec.Containers[0].Args
	}
	var compose struct {
		Services map[string]struct{ Command []string }
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "compose", "compose.yml")), &compose); err != nil {
		t.Fatal(err)
	}
	var cmd []string
	line := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(deployed(t, "Dockerfile"))
	if len(line) != 2 || json.Unmarshal([]byte(line[1]), &cmd) != nil {
		t.Fatal("the Dockerfile has no CMD")
	}
	unit := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/loopwatch (.*) \$LOOPWATCH_ARGS$`).FindStringSubmatch(deployed(t, "systemd", "loopwatch.service"))
	extra := regexp.MustCompile(`(?m)^#   LOOPWATCH_ARGS=(.*)$`).FindStringSubmatch(deployed(t, "systemd", "loopwatch.service"))
	if len(unit) != 2 || len(extra) != 2 {
		t.Fatal("the unit starts nothing")
	}
	for name, args := range map[string][]string{
		"base": set("kustomize", "base", "statefulset.yaml"), "prod": set("kustomize", "overlays", "prod", "statefulset.yaml"),
		"compose": compose.Services["loopwatch"].Command, "Dockerfile": cmd,
		"systemd": strings.Fields(unit[1] + " " + extra[1]),
	} {
		var c cli
		parser, err := kong.New(&c, kong.Writers(io.Discard, io.Discard), kong.BindTo(t.Context(), (*context.Context)(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err != nil {
			t.Errorf("%s: %v: %v", name, args, err)
		}
		if len(args) == 0 || args[0] != "run" || c.Run.Data == "" || c.Run.Ops == "" {
			t.Errorf("%s runs %v", name, args)
		}
	}
}

// The servers of the deployments map events to the partitions that a new bus
// has.
func TestDeployedServersMapEvents(t *testing.T) {
	for _, path := range []string{"nats/nats-server.conf", "kustomize/overlays/dev/nats-server.conf"} {
		t.Run(path, func(t *testing.T) {
			dir := t.TempDir()
			copied := filepath.Join(dir, "nats-server.conf")
			if err := os.WriteFile(copied, []byte(deployed(t, path)), 0o600); err != nil {
				t.Fatal(err)
			}
			opts, err := server.ProcessConfigFile(copied)
			if err != nil {
				t.Fatal(err)
			}
			if !opts.JetStream || !opts.SyncAlways {
				t.Error("what is acknowledged would not survive a loss of power")
			}
			if want := strconv.Quote(events.PublishFilter) + ": " + strconv.Quote(events.PartitionMapping(16)); !strings.Contains(deployed(t, path), want) {
				t.Errorf("it does not say %s", want)
			}
		})
	}
}

// The configurations beside the compose file are ones to Prometheus and
// Alertmanager.
func TestDeployedConfigurations(t *testing.T) {
	for tool, args := range map[string][]string{
		"promtool": {"check", "config", "--syntax-only", filepath.Join(deployments, "compose", "prometheus.yml")},
		"amtool":   {"check-config", filepath.Join(deployments, "compose", "alertmanager.yml")},
	} {
		t.Run(tool, func(t *testing.T) {
			exe, err := exec.LookPath(filepath.Join(os.Getenv("LOOPWATCH_PROMETHEUS"), tool))
			if err != nil {
				t.Skip("not here: export LOOPWATCH_PROMETHEUS=$(scripts/prometheus-tools)")
			}
			if out, err := exec.CommandContext(t.Context(), exe, args...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// The unit is confined as far as systemd can tell.
func TestTheUnitIsConfined(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	out, err := exec.CommandContext(t.Context(), tool, "security", "--offline=true", "--threshold=20", filepath.Join(deployments, "systemd", "loopwatch.service")).CombinedOutput()
	if err != nil {
		t.Errorf("its exposure is above 2.0: %v\n%s", err, out)
	}
}
