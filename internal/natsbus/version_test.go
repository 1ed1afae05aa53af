package natsbus

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

func TestServersWithKnownHolesAreRefused(t *testing.T) {
	for version, want := range map[string]string{
		"2.9.25": "no longer maintained", "2.10.29": "no longer maintained", "1.4.1": "no longer maintained",
		"2.11.0": "2.11.16 or later", "2.11.15": "2026-18", "2.12.0": "2.12.7 or later", "2.12.6": "2026-18", "2.12.6-RC.2": "2026-18",
		"2.11.16": "", "2.11.20": "", "2.12.7": "", "2.12.12": "", "2.14.0": "", "v2.15.3": "", "2.16.0-beta": "", "3.0.0": "",
		server.VERSION: "", "": "", "devel": "",
	} {
		err := checkVersion(version)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", version, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want that it says %q", version, err, want)
		}
	}
}
