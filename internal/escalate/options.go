package escalate

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
)

// Text says how much of what a run said leaves with an escalation.
type Text string

const (
	None    Text = "none"    // names and figures only
	Excerpt Text = "excerpt" // the summary of the decision log: sanitised, bounded quotes
)

// Options say whom to tell, and what.
type Options struct {
	Alertmanagers []string // base URLs; each is told everything
	Webhook       string   // URL; empty for none
	Secrets       []Secret // sign the webhook, the newest first; several while one replaces another
	AllowPrivate  bool     // the webhook may be at a private address, and without TLS
	Text          Text     // empty means None
	Link          string   // base URL of our HTTP API, as people reach it; empty leaves links out
}

// Validate names everything about the options that cannot be, all at once.
func (o Options) Validate() error {
	var faults []error
	bad := func(broken bool, format string, v ...any) {
		if broken {
			faults = append(faults, fmt.Errorf(format, v...))
		}
	}
	for i, u := range o.Alertmanagers {
		if err := checkURL(u); err != nil {
			bad(true, "--alertmanager: %w", err)
		}
		bad(slices.Contains(o.Alertmanagers[:i], u), "--alertmanager: named twice; leave one out")
	}
	if o.Link != "" {
		if err := checkURL(o.Link); err != nil {
			bad(true, "--external-url: %w", err)
		}
	}
	bad(o.Text != "" && o.Text != None && o.Text != Excerpt, "--escalation-text: %q, must be none or excerpt", o.Text)
	if o.Webhook == "" {
		bad(len(o.Secrets) > 0, "--webhook-secret-file: only with --webhook")
		bad(o.AllowPrivate, "--webhook-allow-private: only with --webhook")
		return errors.Join(faults...)
	}
	err := checkURL(o.Webhook)
	if err != nil {
		bad(true, "--webhook: %w", err)
	}
	if u, uerr := url.Parse(o.Webhook); err == nil && uerr == nil {
		bad(u.Scheme != "https" && !o.AllowPrivate, "--webhook: must be https; plain http only with --webhook-allow-private")
		if aerr := checkLiteral(u.Hostname()); aerr != nil && !o.AllowPrivate {
			bad(true, "--webhook: %w", aerr)
		}
	}
	bad(len(o.Secrets) == 0, "--webhook-secret-file: required with --webhook, so that the receiver can tell who writes")
	return errors.Join(faults...)
}

// checkURL reports what keeps a URL from being one to send to. It never repeats
// the URL: paths of webhooks are secrets.
func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("is no URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("must be http://HOST or https://HOST")
	case u.User != nil:
		return errors.New("holds a name or password, which every process list shows: leave it out")
	case u.Fragment != "":
		return errors.New("holds a fragment, which is never sent: leave it out")
	}
	return nil
}

// hostOf is the part of a URL that may be logged.
func hostOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "?"
	}
	return u.Host
}
