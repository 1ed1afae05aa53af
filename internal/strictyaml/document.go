package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of what is read at all: the parser below takes quadratic time on
// large and deep files.
const (
	MaxBytes = 64 << 10
	MaxDepth = 16 // nested flow brackets, and list dashes in one line
)

// Document is one file being read. It gathers the faults.
type Document struct {
	faults Faults
	places map[string]place
}

type place struct{ line, column int }

// Open parses one YAML document whose root is a mapping. Where it cannot, the
// value is empty and Err says why; reading an empty value does nothing.
func Open(data []byte) (*Document, Value) {
	d := &Document{places: map[string]place{}}
	root, fault := parse(data)
	if fault != nil {
		d.faults = append(d.faults, *fault)
		return d, Value{doc: d}
	}
	v := Value{doc: d, node: root}
	v.mark()
	return d, v
}

// Err returns all faults so far, by line, as Faults; nil for none.
func (d *Document) Err() error {
	if len(d.faults) == 0 {
		return nil
	}
	d.faults.sort()
	return d.faults
}

// Has reports whether the file says something at this path.
func (d *Document) Has(path string) bool {
	_, ok := d.places[path]
	return ok
}

// Fault adds a fault at a path, in the line of the nearest key that the file
// has around it. Of several faults at one value the first stands.
func (d *Document) Fault(path, format string, args ...any) {
	at := d.nearest(path)
	for _, f := range d.faults {
		if f.Path == path && f.Line == at.line && f.Column == at.column {
			return
		}
	}
	d.faults = append(d.faults, Fault{Line: at.line, Column: at.column, Path: path, Problem: fmt.Sprintf(format, args...)})
}

func (d *Document) nearest(path string) place {
	for {
		if at, ok := d.places[path]; ok {
			return at
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return d.places[""]
		}
		path = path[:i]
	}
}

func parse(data []byte) (ast.Node, *Fault) {
	if len(data) > MaxBytes {
		return nil, &Fault{Line: 1, Problem: fmt.Sprintf("%d bytes are above %d", len(data), MaxBytes)}
	}
	if !utf8.Valid(data) {
		return nil, &Fault{Line: 1, Problem: "is not UTF-8"}
	}
	return guarded(func() (ast.Node, *Fault) {
		tokens := lexer.Tokenize(string(data))
		if fault := tooDeep(tokens); fault != nil {
			return nil, fault
		}
		file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
		if err != nil {
			return nil, syntax(err)
		}
		return only(file)
	})
}

// guarded makes a panic of the parser a fault of the file: what one file does
// to it must not stop whoever reads that file again at every start.
func guarded(parse func() (ast.Node, *Fault)) (root ast.Node, fault *Fault) {
	defer func() {
		if r := recover(); r != nil {
			root, fault = nil, &Fault{Line: 1, Problem: fmt.Sprintf("is not YAML: the parser gave up: %v", r)}
		}
	}()
	return parse()
}

// only returns the root of the file's single document.
func only(file *ast.File) (ast.Node, *Fault) {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			return nil, &Fault{Line: line(doc.Body), Problem: "a second document begins here; want one"}
		default:
			body = doc.Body
		}
	}
	if body == nil {
		return nil, &Fault{Line: 1, Problem: "is empty"}
	}
	if _, ok := body.(ast.MapNode); !ok {
		return nil, &Fault{Line: line(body), Problem: "want keys and values, got " + kindOf(body)}
	}
	return body, nil
}

func tooDeep(tokens token.Tokens) *Fault {
	depth, dashes, at := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != at {
			at, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
		}
		if max(depth, dashes) > MaxDepth {
			return &Fault{Line: at, Problem: fmt.Sprintf("is nested deeper than %d", MaxDepth)}
		}
	}
	return nil
}

// syntax says a parser's error in one line.
func syntax(err error) *Fault {
	f := Fault{Line: 1}
	var e yaml.Error
	if !errors.As(err, &e) {
		f.Problem = "is not YAML: " + firstLine(err.Error())
		return &f
	}
	f.Problem = "is not YAML: " + firstLine(e.GetMessage())
	if t := e.GetToken(); t != nil && t.Position != nil {
		f.Line, f.Column = max(t.Position.Line, 1), t.Position.Column
	}
	return &f
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
