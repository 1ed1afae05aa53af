package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// Comments reads the Go files of a folder and returns what they say of their
// struct types (by Type) and fields (by Type.Field), as single lines.
func Comments(dir fs.FS) (map[string]string, error) {
	files, err := fs.Glob(dir, "*.go")
	if err != nil {
		return nil, fmt.Errorf("list Go files: %w", err)
	}
	found := map[string]string{}
	for _, name := range files {
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				collect(d, found)
			}
		}
	}
	return found, nil
}

func collect(d *ast.GenDecl, found map[string]string) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		put(found, t.Name.Name, d.Doc, t.Doc)
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			for _, name := range f.Names {
				put(found, t.Name.Name+"."+name.Name, f.Comment)
			}
		}
	}
}

func put(found map[string]string, key string, groups ...*ast.CommentGroup) {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			found[key] = text
		}
	}
}
