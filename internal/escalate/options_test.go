package escalate

import (
	"strings"
	"testing"
)

func TestOptionsNameAllFaults(t *testing.T) {
	secret, err := ParseSecret(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	ok := []Secret{secret}
	for _, c := range []struct {
		name string
		o    Options
		want []string // nil: fine
	}{
		{"nothing", Options{}, nil},
		{"all", Options{Alertmanagers: []string{"http://am:9093", "http://am2:9093/path"}, Webhook: "https://hooks.example/x", Secrets: ok, Text: Excerpt, Link: "https://lw.example"}, nil},
		{"a private webhook that is allowed", Options{Webhook: "http://10.0.0.1/x", Secrets: ok, AllowPrivate: true}, nil},
		{"a private webhook", Options{Webhook: "https://[::ffff:10.0.0.1]/x", Secrets: ok}, []string{"public"}},
		{"plain http", Options{Webhook: "http://hooks.example/x", Secrets: ok}, []string{"https"}},
		{"no secret", Options{Webhook: "https://hooks.example/x"}, []string{"--webhook-secret-file: required"}},
		{"secret without webhook", Options{Secrets: ok, AllowPrivate: true}, []string{"--webhook-secret-file: only", "--webhook-allow-private: only"}},
		{"a password", Options{Webhook: "https://me:hidden@hooks.example/x", Secrets: ok}, []string{"name or password"}},
		{"twice", Options{Alertmanagers: []string{"http://am", "http://am"}}, []string{"twice"}},
		{"everything", Options{Alertmanagers: []string{"am:9093", "http://%zz"}, Webhook: "ftp://x/#y", Text: "all", Link: "/v1"},
			[]string{"--alertmanager", "is no URL", "--webhook: must be", "--escalation-text", "--external-url", "--webhook-secret-file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.o.Validate()
			if (err == nil) != (c.want == nil) {
				t.Fatalf("%v", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v does not say %q", err, w)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "/x")) {
				t.Errorf("%v tells what may be a secret", err)
			}
		})
	}
}
