package provision

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// account is the name of the account with the streams.
const account = "LOOPWATCH"

// accounts is the text of accounts.conf: the account with the streams and the
// processors, and one for each tenant's workers, which reach the first through
// what they import and nothing else. keys are the public keys by user.
func (n note) accounts(keys map[string]string) string {
	var b strings.Builder
	line := func(format string, v ...any) { fmt.Fprintf(&b, format+"\n", v...) }
	line("# Written by `loopwatch provision`, which writes it anew when tenants or agents change.")
	line("accounts {")
	line("  %s {", account)
	line("    jetstream { max_mem: 256MB, max_file: %d, max_streams: %s, max_consumers: -1 }", n.MaxStore, n.streams())
	line("    mappings { %q: %q }", events.PublishFilter, events.PartitionMapping(n.Partitions))
	line("    users [")
	for _, u := range staff() {
		u.write(line, keys[u.name])
	}
	line("    ]")
	line("    exports [")
	for _, t := range n.Tenants {
		only := "[" + strconv.Quote(workers(t)) + "]"
		line("      { service: %q, accounts: %s }", events.EventSubject(t, "*", "*", "*"), only)
		line("      { stream: %q, accounts: %s }", events.ControlSubject(t, "*", "*"), only)
		line("      { stream: %q, accounts: %s }", events.VerdictSubject(t, "*", "*", "*"), only)
	}
	line("      { service: %q }", policyGet)
	line("    ]")
	line("  }")
	for _, t := range n.Tenants {
		line("  %q {", workers(t))
		line("    users [")
		for _, a := range n.Agents {
			w := worker(t, a)
			w.write(line, keys[w.name])
		}
		line("    ]")
		line("    imports [")
		line("      { service: { account: %s, subject: %q } }", account, events.EventSubject(t, "*", "*", "*"))
		line("      { stream: { account: %s, subject: %q } }", account, events.ControlSubject(t, "*", "*"))
		line("      { stream: { account: %s, subject: %q } }", account, events.VerdictSubject(t, "*", "*", "*"))
		line("      { service: { account: %s, subject: %q } }", account, policyGet)
		line("    ]")
		line("  }")
	}
	line("}")
	return b.String()
}

func (u user) write(line func(string, ...any), key string) {
	line("      # %s", u.name)
	line("      { nkey: %s, permissions {", key)
	line("        publish { allow: %s%s }", quoted(u.publish), denied(u.forbidden))
	line("        subscribe { allow: %s }", quoted(append([]string{u.inbox + ".>"}, u.subscribe...)))
	if u.answers {
		line("        allow_responses: true")
	}
	line("      } }")
}

func denied(subjects []string) string {
	if len(subjects) == 0 {
		return ""
	}
	return ", deny: " + quoted(subjects)
}

func quoted(subjects []string) string {
	out := make([]string, len(subjects))
	for i, s := range subjects {
		out[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// server is the text of nats-server.conf, which is its readers' to edit.
func (n note) server(store string) string {
	var b strings.Builder
	line := func(format string, v ...any) { fmt.Fprintf(&b, format+"\n", v...) }
	line("# A NATS server for loopwatch: nats-server -c nats-server.conf")
	line("# This file is yours to edit and is never overwritten; accounts.conf is generated.")
	line("")
	line("server_name: loopwatch-1 # each server of a cluster has its own")
	line("listen: %q", n.Listen)
	line("max_payload: 1MB")
	line("")
	line("jetstream {")
	line("  store_dir: %q", store)
	line("  sync_interval: always # what is acknowledged survives a loss of power")
	line("  max_memory_store: 512MB")
	line("  max_file_store: %d", n.MaxStore)
	line("}")
	line("")
	if n.TLSCert != "" {
		line("tls { cert_file: %q, key_file: %q }", n.TLSCert, n.TLSKey)
	} else {
		line("# tls { cert_file: \"server.pem\", key_file: \"server.key\" }")
	}
	line("")
	line("# Of a cluster, with a TLS block and routes of its own, and --replicas 3:")
	line("# cluster { name: loopwatch, listen: \"10.0.0.1:6222\", tls { ... }, routes: [\"nats://10.0.0.2:6222\"] }")
	line("")
	line("include \"accounts.conf\"")
	return b.String()
}
