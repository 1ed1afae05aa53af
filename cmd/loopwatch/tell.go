package main

import (
	"fmt"

	"github.com/loopwatch/loopwatch/internal/escalate"
)

// tellFlags say whom to tell of escalations.
type tellFlags struct {
	Alertmanager []string `name:"alertmanager" help:"Alertmanager that escalations become alerts of; several for a cluster." placeholder:"URL"`
	Webhook      string   `help:"Receiver of signed webhooks (Standard Webhooks)." placeholder:"URL"`
	SecretFile   string   `name:"webhook-secret-file" help:"File of whsec_… secrets, one a line, the newest first." placeholder:"FILE"`
	AllowPrivate bool     `name:"webhook-allow-private" help:"Let the webhook be at a private or loopback address, and without TLS."`
	Text         string   `name:"escalation-text" help:"What leaves of what runs say: none, or sanitised excerpts." enum:"none,excerpt" default:"none"`
	Link         string   `name:"external-url" help:"Base URL of the HTTP API as people reach it, for links." placeholder:"URL"`
}

// tell reads what the flags name; what is wrong with the rest Validate says.
func (f tellFlags) tell() (escalate.Options, error) {
	o := escalate.Options{
		Alertmanagers: f.Alertmanager, Webhook: f.Webhook, AllowPrivate: f.AllowPrivate, Text: escalate.Text(f.Text), Link: f.Link,
	}
	if f.SecretFile == "" {
		return o, nil
	}
	var err error
	if o.Secrets, err = escalate.ReadSecrets(f.SecretFile); err != nil {
		o.Secrets = make([]escalate.Secret, 1) // said already; nothing starts
		err = fmt.Errorf("--webhook-secret-file: %w", err)
	}
	return o, err
}
