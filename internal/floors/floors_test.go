package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/loopwatch/loopwatch/"

// floors lists every package with its floor; a package imports only those
// below its own. Packages of one floor do not know each other, but for the
// pairs in beside.
var floors = map[string]int{
	"pkg/events":            0,
	"internal/features":     1,
	"internal/strictyaml":   1,
	"internal/schema":       1,
	"internal/propgen":      1,
	"internal/oracle":       1,
	"internal/stats":        1,
	"pkg/state":             2,
	"pkg/detectors":         3,
	"pkg/actions":           4,
	"internal/engine":       5,
	"internal/trace":        5,
	"pkg/state/storetest":   6,
	"pkg/state/pebblestore": 6,
	"pkg/worker":            6,
	"internal/replay":       6,
	"internal/report":       6,
	"internal/natsbus":      6,
	"internal/lease":        6,
	"internal/provision":    6,
	"internal/processor":    7,
	"internal/ingest":       7,
	"internal/escalate":     7,
	"internal/eval":         8,
	"internal/timeline":     7,
	"internal/fleet":        8,
	"internal/gateway":      9,
	"internal/reportapi":    10,
	"internal/app":          11,
	"internal/bench":        9,
	"internal/demo":         9,
	"cmd/loopwatch":         12,
	"examples/agent":        10,
	"internal/e2e":          10,
	"internal/floors":       10,
}

// pureBelow is the first floor that may wait, ask the time and do I/O.
const pureBelow = 6

// impure are imports that bring a clock, concurrency or I/O.
var impure = []string{
	"context", "os", "net", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand",
	"github.com/nats-io", "github.com/cockroachdb", "github.com/prometheus",
}

// clocks are the functions of package time that read or wait.
var clocks = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true,
	"Tick": true, "NewTimer": true, "NewTicker": true,
}

func TestImportsGoDownOnly(t *testing.T) {
	for _, f := range sources(t) {
		own, ok := floors[f.pkg]
		if !ok {
			t.Errorf("%s has no floor: give it one in this test", f.pkg)
			continue
		}
		for _, im := range f.ast.Imports {
			path := importPath(t, im)
			other, ours := strings.CutPrefix(path, module)
			if !ours {
				continue
			}
			if floor, ok := floors[other]; !ok || floor >= own {
				t.Errorf("%s (floor %d) imports %s (floor %d): imports go down only", f.name, own, other, floor)
			}
		}
	}
}

func TestThePurePartIsPure(t *testing.T) {
	for _, f := range sources(t) {
		if floors[f.pkg] >= pureBelow || f.generator {
			continue
		}
		for _, im := range f.ast.Imports {
			path := importPath(t, im)
			for _, bad := range impure {
				if path == bad || strings.HasPrefix(path, bad+"/") {
					t.Errorf("%s imports %s: below the drivers there is no context, clock, goroutine or I/O", f.name, path)
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if what := touches(n); what != "" {
				t.Errorf("%s: %s: below the drivers there is no context, clock, goroutine or I/O", f.fset.Position(n.Pos()), what)
			}
			return true
		})
	}
}

// touches names what a node does that the pure part must not.
func touches(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.ChanType:
		return "uses a channel"
	case *ast.SelectStmt:
		return "selects"
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && clocks[n.Sel.Name] {
			return "asks the time"
		}
	case *ast.FuncDecl:
		if n.Name.Name == "init" && n.Recv == nil {
			return "has an init"
		}
	}
	return ""
}

// TestTheListIsTrue sees that every listed package exists.
func TestTheListIsTrue(t *testing.T) {
	found := map[string]bool{}
	for _, f := range sources(t) {
		found[f.pkg] = true
	}
	for pkg := range floors {
		if !found[pkg] {
			t.Errorf("%s has a floor but no source", pkg)
		}
	}
}

// file is one source file without tests.
type file struct {
	name, pkg string
	fset      *token.FileSet
	ast       *ast.File
	generator bool // only run by go generate
}

func sources(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f := file{name: path, fset: token.NewFileSet()}
		if f.ast, err = parser.ParseFile(f.fset, path, nil, parser.ParseComments); err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		f.pkg = filepath.ToSlash(rel)
		for _, c := range f.ast.Comments {
			f.generator = f.generator || strings.Contains(c.Text(), "//go:build ignore")
		}
		out = append(out, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d source files found: the test looks in the wrong place", len(out))
	}
	return out
}

func importPath(t *testing.T, im *ast.ImportSpec) string {
	t.Helper()
	p, err := strconv.Unquote(im.Path.Value)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
