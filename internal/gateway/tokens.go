package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Role is what a caller may do; roles add up.
type Role int

// The roles of tokens. An operator may do what a viewer may.
const (
	Worker   Role = 1 << iota // report, ask and poll for runs of its tenant and agent
	Viewer                    // look at runs and halts
	Operator                  // halt and resume
)

// Caller is who sent a request. Tenant and Agent bind it; empty means all.
type Caller struct {
	Name          string
	Roles         Role
	Tenant, Agent string
}

// local is whoever reaches a gateway without tokens.
var local = Caller{Name: "local", Roles: Worker | Viewer}

// leastToken is the length of a token that is not guessed.
const leastToken = 16

// Tokens are the callers that a gateway knows, by the hash of their token.
type Tokens struct{ known []knownToken }

type knownToken struct {
	hash   [sha256.Size]byte
	caller Caller
}

// tokenFile is what a file of tokens says, by the name of each.
type tokenFile struct {
	Tokens map[string]tokenEntry `yaml:"tokens"`
}

// tokenEntry is one token.
type tokenEntry struct {
	Token  string `yaml:"token"`
	SHA256 string `yaml:"sha256"`
	Role   string `yaml:"role" bound:"worker|viewer|operator"`
	Tenant string `yaml:"tenant"`
	Agent  string `yaml:"agent"`
}

// ReadTokens reads a file of tokens and names everything that is wrong with
// it. A file that holds a token in clear may be read by its owner only.
func ReadTokens(path string) (*Tokens, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, open, err := parseTokens(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if open {
		if _, err := readSecret(path); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// parseTokens reads the text of a token file; open says that it holds a token
// and not only hashes.
func parseTokens(text []byte) (t *Tokens, open bool, err error) {
	doc, root := strictyaml.Open(text)
	var file tokenFile
	root.Into(&file)
	t = &Tokens{}
	if len(file.Tokens) == 0 {
		doc.Fault("tokens", "is missing or empty; nobody could come in")
	}
	seen := map[[sha256.Size]byte]string{}
	for _, name := range slices.Sorted(maps.Keys(file.Tokens)) {
		e, path := file.Tokens[name], "tokens."+name
		k, err := e.known(name)
		for _, err := range err {
			doc.Fault(path, "%s", err)
		}
		if other, twice := seen[k.hash]; twice && len(err) == 0 {
			doc.Fault(path, "is the same token as %s", other)
		}
		seen[k.hash] = name
		open = open || e.Token != ""
		t.known = append(t.known, k)
	}
	return t, open, doc.Err()
}

// known checks an entry.
func (e tokenEntry) known(name string) (k knownToken, faults []string) {
	k.caller = Caller{Name: name, Tenant: e.Tenant, Agent: e.Agent}
	switch e.Role {
	case "worker":
		k.caller.Roles = Worker
		if e.Tenant == "" || e.Agent == "" {
			faults = append(faults, "a worker's token names its tenant and agent")
		}
	case "viewer":
		k.caller.Roles = Viewer
	case "operator":
		k.caller.Roles = Viewer | Operator
	default:
		faults = append(faults, "role: want worker, viewer or operator")
	}
	for _, n := range []string{e.Tenant, e.Agent} {
		if n != "" && !events.ValidName(n) {
			faults = append(faults, "tenant and agent: want 1 to 128 of A-Z a-z 0-9 = - _, not beginning with _")
		}
	}
	switch sum, err := hex.DecodeString(e.SHA256); {
	case (e.Token == "") == (e.SHA256 == ""):
		faults = append(faults, "want token or sha256")
	case e.Token != "" && (len(e.Token) < leastToken || strings.ContainsAny(e.Token, " \t\r\n")):
		faults = append(faults, fmt.Sprintf("token: want one word of at least %d bytes", leastToken))
	case e.Token != "":
		k.hash = sha256.Sum256([]byte(e.Token))
	case err != nil || len(sum) != sha256.Size:
		faults = append(faults, "sha256: want 64 hex digits")
	default:
		copy(k.hash[:], sum)
	}
	return k, faults
}

// find returns whose token it is. It takes as long whatever the token.
func (t *Tokens) find(token string) (Caller, bool) {
	hash := sha256.Sum256([]byte(token))
	at := -1
	for i := range t.known {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], t.known[i].hash[:]), i, at)
	}
	if at < 0 {
		return Caller{}, false
	}
	return t.known[at].caller, true
}

// Narrow restricts a scope to what the caller is bound to; naming another
// tenant or agent is refused.
func (c Caller) Narrow(s events.Scope) (events.Scope, error) {
	for _, n := range []struct{ field, name string }{{"tenant", s.Tenant}, {"agent", s.Agent}, {"task", s.Task}, {"run", s.Run}} {
		if n.name != "" && !events.ValidName(n.name) {
			return s, badQuery(n.field, "want 1 to 128 of A-Z a-z 0-9 = - _, not beginning with _")
		}
	}
	for _, n := range []struct {
		bound string
		is    *string
	}{{c.Tenant, &s.Tenant}, {c.Agent, &s.Agent}} {
		switch {
		case n.bound == "":
		case *n.is == "":
			*n.is = n.bound
		case *n.is != n.bound:
			return s, notYours()
		}
	}
	return s, nil
}
