package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// The compose file is one to Compose, and what it mounts exists.
func TestCompose(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "compose", "compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: filepath.Dir(path), ConfigFiles: []types.ConfigFile{{Filename: path}}, Environment: types.Mapping{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nats", "loopwatch", "prometheus", "alertmanager", "grafana"} {
		if _, ok := p.Services[want]; !ok {
			t.Errorf("no service %s", want)
		}
	}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s mounts %s: %v, read-only %v", name, v.Source, err, v.ReadOnly)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s is reached from elsewhere at %s", name, port.Published)
			}
		}
		if name != "ownership" && (!s.ReadOnly || len(s.CapDrop) != 1 || s.CapDrop[0] != "ALL") {
			t.Errorf("%s is not confined", name)
		}
		if s.Image != "" && s.Build == nil && (!strings.Contains(s.Image, ":") || strings.HasSuffix(s.Image, ":latest")) {
			t.Errorf("%s runs whatever %s is today", name, s.Image)
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
