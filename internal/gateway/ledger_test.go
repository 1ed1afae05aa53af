package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopwatch/loopwatch/internal/gateway"
)

// ledger is what was seen of the document.
type ledger struct {
	mu  sync.Mutex
	was map[string]bool
}

var seen = &ledger{was: map[string]bool{}}

// spec is the document as far as the tests read it.
var spec = sync.OnceValue(func() (d struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]json.RawMessage
		}
	}
}) {
	if err := json.Unmarshal(gateway.Document, &d); err != nil {
		panic(err)
	}
	return d
})

var compiler = sync.OnceValue(func() *jsonschema.Compiler {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(gateway.Document))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://localhost/openapi.json", doc); err != nil {
		panic(err)
	}
	return c
})

// check notes a reply. The document must name its status and describe its
// body; of what it does not list it says 404 and 405.
func (l *ledger) check(method, path string, r reply) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	method = strings.ToLower(method)
	if p := strings.Split(path, "/"); len(p) > 3 && p[2] == "runs" {
		p[3] = "{run}"
		path = strings.Join(p, "/")
	}
	op, ok := spec().Paths[path][method]
	if !ok {
		if r.status != http.StatusNotFound && r.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("%s %s answers %d and is not in the document", method, path, r.status)
		}
		return nil
	}
	status := fmt.Sprint(r.status)
	res, ok := op.Responses[status]
	if !ok {
		return fmt.Errorf("%s %s answers %d, which is not in the document: %s", method, path, r.status, r.body)
	}
	l.was[method+" "+path+" "+status] = true
	if res.Content["application/json"] == nil {
		return nil
	}
	at := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(path)
	s, err := compiler().Compile("https://localhost/openapi.json#/paths/" + at + "/" + method + "/responses/" + status + "/content/application~1json/schema")
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.body))
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, path, err, r.body)
	}
	return s.Validate(v)
}

// missing lists the responses that no test saw.
func (l *ledger) missing() []string {
	var out []string
	for path, methods := range spec().Paths {
		for method, op := range methods {
			for status := range op.Responses {
				if at := method + " " + path + " " + status; status != "default" && !l.was[at] {
					out = append(out, at)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
