package schema

import (
	"encoding/json"
	"fmt"
)

// Draft is the dialect of every schema written here.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Node is one schema, with the keywords that are needed here. The zero Node
// accepts everything.
type Node struct {
	Schema      string           `json:"$schema,omitempty"`
	ID          string           `json:"$id,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        string           `json:"type,omitempty"`
	Const       any              `json:"const,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	Default     any              `json:"default,omitempty"`
	Format      string           `json:"format,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	MinLength   int              `json:"minLength,omitempty"` // characters
	MaxLength   int              `json:"maxLength,omitempty"`
	Minimum     *int64           `json:"minimum,omitempty"`
	Maximum     *int64           `json:"maximum,omitempty"`
	Items       *Node            `json:"items,omitempty"`
	Properties  map[string]*Node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	AnyOf       []*Node          `json:"anyOf,omitempty"`
	OneOf       []*Node          `json:"oneOf,omitempty"`
	Defs        map[string]*Node `json:"$defs,omitempty"`
}

// Between returns the schema with inclusive bounds.
func (n Node) Between(low, high int64) *Node {
	n.Minimum, n.Maximum = &low, &high
	return &n
}

// Text returns the schema as indented JSON with sorted properties, the same
// text for the same schema.
func (n *Node) Text() ([]byte, error) {
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return append(text, '\n'), nil
}
