package worker

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// BlockedTool is the name of the tool by which a model gives up properly.
const BlockedTool = "report_blocked"

// Convention says in whose words a tool is defined.
type Convention string

// The conventions a tool definition is written in.
const (
	ConventionOpenAI          Convention = "openai"           // chat completions: a function inside a tool
	ConventionOpenAIResponses Convention = "openai-responses" // responses: the function is the tool
	ConventionAnthropic       Convention = "anthropic"        // input_schema
	ConventionMCP             Convention = "mcp"              // inputSchema, as tools/list answers it
	ConventionJSONSchema      Convention = "json-schema"      // the arguments alone
)

// Conventions returns every convention; the caller owns the slice.
func Conventions() []Convention {
	return []Convention{ConventionOpenAI, ConventionOpenAIResponses, ConventionAnthropic, ConventionMCP, ConventionJSONSchema}
}

const blockedDoc = "Report that you are blocked and end the task here. This is a correct and expected outcome, not a failure: " +
	"a clear report of what stands in the way is worth more than another attempt that cannot succeed. " +
	"Use it when the task cannot be completed with the tools, data and permissions you have: something is missing, refused, " +
	"contradictory or out of reach, and what you tried keeps giving the same answer. " +
	"Do not use it for a fault that may pass by itself, before you have tried what is open to you, " +
	"to ask a question you could ask the user directly, or to report a result."

type schema struct {
	Schema      string       `json:"$schema,omitempty"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	Type        string       `json:"type"`
	Properties  *blockedArgs `json:"properties,omitempty"`
	Items       *schema      `json:"items,omitempty"`
	Required    []string     `json:"required,omitempty"`
	Closed      *bool        `json:"additionalProperties,omitempty"`
}

type blockedArgs struct {
	Attempted schema `json:"attempted"`
	Blocker   schema `json:"blocker"`
	Needs     schema `json:"needs"`
}

func blockedSchema() schema {
	open := false
	return schema{
		Type: "object",
		Properties: &blockedArgs{
			Attempted: schema{
				Type: "array", Items: &schema{Type: "string"},
				Description: "What you tried, one step an item, with what came of it. Empty where the task could not be begun.",
			},
			Blocker: schema{Type: "string", Description: "What stands in the way, as concretely as you know it: the tool, the record, the error, the rule."},
			Needs:   schema{Type: "string", Description: "What somebody would have to do or provide so that the task can go on. Say \"nothing\" where it is impossible."},
		},
		Required: []string{"attempted", "blocker", "needs"},
		Closed:   &open,
	}
}

// BlockedToolFor returns the definition of the tool report_blocked for a
// model, as indented JSON. It fails for a convention that does not exist.
func BlockedToolFor(c Convention) ([]byte, error) {
	var def any
	args := blockedSchema()
	function := struct {
		Type        string `json:"type,omitempty"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  schema `json:"parameters"`
		Strict      bool   `json:"strict"`
	}{Name: BlockedTool, Description: blockedDoc, Parameters: args, Strict: true}
	switch c {
	case ConventionOpenAI:
		def = struct {
			Type     string `json:"type"`
			Function any    `json:"function"`
		}{"function", function}
	case ConventionOpenAIResponses:
		function.Type = "function"
		def = function
	case ConventionAnthropic:
		def = struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			InputSchema schema `json:"input_schema"`
		}{BlockedTool, blockedDoc, args}
	case ConventionMCP:
		def = struct {
			Name        string `json:"name"`
			Title       string `json:"title"`
			Description string `json:"description"`
			InputSchema schema `json:"inputSchema"`
		}{BlockedTool, "Report a blocker", blockedDoc, args}
	case ConventionJSONSchema:
		args.Schema, args.Title, args.Description = "https://json-schema.org/draft/2020-12/schema", BlockedTool, blockedDoc
		def = args
	default:
		return nil, fmt.Errorf("define %s: no convention is named %q", BlockedTool, c)
	}
	out, err := json.Marshal(def, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("define %s: %w", BlockedTool, err)
	}
	return out, nil
}
