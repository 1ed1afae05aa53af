package strictyaml

import (
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// kindOf says what a node is, with its value where that is short.
func kindOf(n ast.Node) string {
	switch x := n.(type) {
	case *ast.StringNode:
		return "the text " + short(x.Value)
	case *ast.LiteralNode:
		return "a block of text"
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value
	case *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	case *ast.BoolNode:
		return strconv.FormatBool(x.Value)
	case *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	}
	return "something else"
}

// short quotes at most 40 runes of a text.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return strconv.Quote(s)
}

// plain reports whether a text was written without quotes.
func plain(n *ast.StringNode) bool { return n.Token != nil && n.Token.Type == token.StringType }

func line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}
