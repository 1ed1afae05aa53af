package events_test

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/loopwatch/loopwatch/internal/schema"
	"github.com/loopwatch/loopwatch/pkg/events"
)

const (
	namePattern = `^[A-Za-z0-9=-][A-Za-z0-9_=-]{0,127}$`
	yearPattern = `^(1[7-9][0-9]{2}|2[01][0-9]{2}|22[0-5][0-9]|2260)-`
)

// kinds maps every kind to its body, and to what it needs beside it.
var kinds = []struct {
	kind     events.Kind
	body     string
	title    string
	required []string
}{
	{events.RunStart, "start", "a run opens, or a worker re-attaches to it", []string{"run"}},
	{events.TurnKind, "turn", "one model response", []string{"run", "seq", "round"}},
	{events.ToolCall, "call", "a tool call, executed or not", []string{"run", "seq", "round"}},
	{events.ToolResult, "result", "what came back for a call", []string{"run", "seq", "round"}},
	{events.Said, "message", "a message to or from the user or another run", []string{"run", "seq"}},
	{events.RunEnd, "end", "a run is over", []string{"run", "seq"}},
	{events.ControlAck, "ack", "the answer to a control message", []string{"run", "seq"}},
	{events.Tick, "", "time passed (published by loopwatch only)", nil},
	{events.OperatorAct, "operator", "an operator's act (published by loopwatch only)", nil},
	{events.PolicyChange, "policy", "a policy in force from here on (published by loopwatch only)", nil},
}

func enum[T ~string](values ...T) *schema.Node {
	n := &schema.Node{Type: "string"}
	for _, v := range values {
		n.Enum = append(n.Enum, string(v))
	}
	return n
}

func generator(t *testing.T) *schema.Generator {
	t.Helper()
	comments, err := schema.Comments(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var all []events.Kind
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	text := &schema.Node{Type: "string"}
	return &schema.Generator{
		Comments: comments,
		Types: map[reflect.Type]*schema.Node{
			reflect.TypeFor[events.Kind]():    enum(all...),
			reflect.TypeFor[events.Origin]():  enum(events.FromAgent, events.FromLoopwatch),
			reflect.TypeFor[events.Effect]():  enum(events.EffectRead, events.EffectWrite, events.EffectUnknown),
			reflect.TypeFor[events.Status]():  enum(events.Done, events.Blocked, events.Failed, events.Halted, events.Stuck, events.Cancelled),
			reflect.TypeFor[events.Outcome](): enum(events.Applied, events.Ignored, events.Expired, events.Rejected, events.NotDone),
			reflect.TypeFor[events.RawJSON](): {},
			reflect.TypeFor[events.Names]():   {AnyOf: []*schema.Node{{Type: "object"}, {Type: "array", Items: text}}},
			reflect.TypeFor[int]():            (schema.Node{Type: "integer"}).Between(0, events.MaxRound),
			reflect.TypeFor[int64]():          (schema.Node{Type: "integer"}).Between(0, events.MaxNumber),
			reflect.TypeFor[uint64]():         (schema.Node{Type: "integer"}).Between(0, events.MaxNumber),
			reflect.TypeFor[float64]():        (schema.Node{Type: "number"}).Between(0, events.MaxAmount),
		},
		Fields: fieldRules(),
	}
}

// fieldRules say what a field may hold beyond its type.
func fieldRules() map[string]func(*schema.Node) {
	rules := map[string]func(*schema.Node){
		"Event.v":         func(n *schema.Node) { *n = schema.Node{Description: n.Description, Const: events.Version} },
		"Event.id":        func(n *schema.Node) { n.MinLength, n.MaxLength, n.Pattern = 1, events.MaxID, `^[^\x00-\x20\x7f]+$` },
		"Event.tenant":    func(n *schema.Node) { n.Default, n.Pattern = events.DefaultTenant, namePattern },
		"Event.agent":     func(n *schema.Node) { n.Default, n.Pattern = events.DefaultAgent, namePattern },
		"Event.origin":    func(n *schema.Node) { n.Default = events.FromAgent },
		"Event.partition": func(n *schema.Node) { *n = *n.Between(0, events.MaxPartitions-1) },
		"Error.code":      func(n *schema.Node) { n.Type, n.AnyOf = "", []*schema.Node{{Type: "string"}, {Type: "number"}} },
		"Result.error": func(n *schema.Node) {
			n.AnyOf, n.Ref = []*schema.Node{{Ref: n.Ref}, {Type: "null"}}, ""
		},
		"Operator.action": func(n *schema.Node) { n.Enum = []string{"halt", "resume"} },
		"Operator.for":    func(n *schema.Node) { n.Pattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$` },
	}
	for _, field := range []string{"Event.task", "Event.run", "Event.parent", "Scope.tenant", "Scope.agent", "Scope.task", "Scope.run"} {
		rules[field] = func(n *schema.Node) { n.Pattern = namePattern }
	}
	for _, field := range []string{"Event.time", "Event.stored"} {
		rules[field] = func(n *schema.Node) { n.Pattern = yearPattern }
	}
	for _, field := range []string{
		"Tool.name", "Call.id", "Call.tool", "Result.call_id", "Message.role", "Ack.control", "Policy.name", "Policy.digest",
	} {
		rules[field] = func(n *schema.Node) { n.MinLength, n.MaxLength = 1, events.MaxID }
	}
	rules["Result.tool"] = func(n *schema.Node) { n.MaxLength = events.MaxID }
	rules["Policy.yaml"] = func(n *schema.Node) { n.MinLength = 1 }
	return rules
}

// eventSchema is one schema with an alternative for each kind. A body counts
// in the alternative of its kind only.
func eventSchema(t *testing.T) *schema.Node {
	t.Helper()
	g := generator(t)
	root, err := g.Object(reflect.TypeFor[events.Event]())
	if err != nil {
		t.Fatal(err)
	}
	if unused := g.Unused(); unused != nil {
		t.Fatalf("rules for fields that do not exist: %q", unused)
	}
	root.Schema, root.ID = schema.Draft, "https://github.com/loopwatch/loopwatch/docs/schemas/event.json"
	root.Title = "loopwatch event, version 1"
	root.Description = "One thing that happened to one run: one NATS message, one line of a trace, one item of POST /v1/events. " +
		"Unknown fields are ignored. An absent task is the run."
	root.Defs = g.Defs()
	for _, k := range kinds {
		one := &schema.Node{Title: k.title, Required: k.required, Properties: map[string]*schema.Node{"kind": {Const: k.kind}}}
		for _, field := range k.required {
			if field != "run" {
				one.Properties[field] = (schema.Node{}).Between(1, *root.Properties[field].Maximum)
			}
		}
		if k.body != "" {
			one.Properties[k.body] = root.Properties[k.body]
			one.Required = append(slices.Clone(k.required), k.body)
			delete(root.Properties, k.body)
		}
		root.Defs[string(k.kind)] = one
		root.OneOf = append(root.OneOf, &schema.Node{Ref: "#/$defs/" + string(k.kind)})
	}
	return root
}
