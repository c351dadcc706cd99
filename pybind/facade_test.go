package pybind

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The types that gopy passes without leaks, crashes or slow conversions.
var plain = []string{"int", "int64", "uint64", "uintptr", "float64", "bool", "string"}

// TestFacadeShape walks the package's syntax: what is exported has the one
// shape that doc.go states.
func TestFacadeShape(t *testing.T) {
	exported := 0
	for _, file := range sources(t) {
		for _, declaration := range file.Decls {
			for _, fault := range faults(declaration) {
				t.Error(fault)
			}
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.IsExported() {
				exported++
			}
		}
	}
	require.GreaterOrEqual(t, exported, 10, "the walk has found the facade")
}

// TestFacadeShapeFindsFaults feeds the walk with one example of each fault.
func TestFacadeShapeFindsFaults(t *testing.T) {
	for _, code := range []string{
		"type T struct{}",
		"var V int",
		"func (m *m) F() (n int, err error) { defer guard(&err); return }",
		"func F[T any]() (n int, err error) { defer guard(&err); return }",
		"func F(a []int) (n int, err error) { defer guard(&err); return }",
		"func F(a ...int) (n int, err error) { defer guard(&err); return }",
		"func F(a func()) (n int, err error) { defer guard(&err); return }",
		"func F(a uint32) (n int, err error) { defer guard(&err); return }",
		"func F(int) (n int, err error) { defer guard(&err); return }",
		"func F() (z complex128, err error) { defer guard(&err); return }",
		"func F() (err error) { defer guard(&err); return }",
		"func F() (n int) { return }",
		"func F() (a, b int, err error) { defer guard(&err); return }",
		"func F() (int, error) { return 0, nil }",
		"func F() (n int, e error) { defer guard(&e); return }",
		"func F() (n int, err error) { return }",
		"func F() (n int, err error) { n = 1; defer guard(&err); return }",
		"func F() (n int, err error) { defer other(&err); return }",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n// F is documented.\n"+code, parser.ParseComments)
		require.NoError(t, err)
		require.NotEmpty(t, faults(file.Decls[0]), code)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc F() (n int, err error) { defer guard(&err); return }", parser.ParseComments)
	require.NoError(t, err)
	require.NotEmpty(t, faults(file.Decls[0]), "no comment")
}

// sources parses the package's files other than its tests.
func sources(t *testing.T) []*ast.File {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var files []*ast.File
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return files
}

// faults lists what an exported declaration has that gopy or the guard cannot do with.
func faults(declaration ast.Decl) []string {
	f, ok := declaration.(*ast.FuncDecl)
	if !ok {
		return exportedNames(declaration.(*ast.GenDecl))
	}
	if !f.Name.IsExported() {
		return nil
	}
	var found []string
	report := func(fault string) { found = append(found, f.Name.Name+": "+fault) }
	if f.Recv != nil || f.Type.TypeParams != nil {
		report("is a method or generic")
	}
	if f.Doc == nil {
		report("has no comment")
	}
	for _, field := range f.Type.Params.List {
		if !isPlain(field.Type) {
			report("takes a type that does not cross")
		}
		if len(field.Names) == 0 {
			report("has an argument without a name")
		}
	}
	if !returnsValueAndError(f.Type.Results) {
		report("does not return (name T, err error)")
	}
	if !beginsWithGuard(f.Body) {
		report("does not begin with defer guard(&err)")
	}
	return found
}

// exportedNames lists the exported types, variables and constants of a declaration, except constant codes of errors.
func exportedNames(d *ast.GenDecl) []string {
	var found []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				found = append(found, "exported type "+s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && (d.Tok != token.CONST || !strings.HasPrefix(name.Name, "Code")) {
					found = append(found, "exported value "+name.Name)
				}
			}
		}
	}
	return found
}

func isPlain(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && slices.Contains(plain, name.Name)
}

func returnsValueAndError(results *ast.FieldList) bool {
	if results == nil || len(results.List) != 2 {
		return false
	}
	value, err := results.List[0], results.List[1]
	kind, ok := err.Type.(*ast.Ident)
	return len(value.Names) == 1 && isPlain(value.Type) &&
		len(err.Names) == 1 && err.Names[0].Name == "err" && ok && kind.Name == "error"
}

func beginsWithGuard(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	d, ok := body.List[0].(*ast.DeferStmt)
	if !ok || len(d.Call.Args) != 1 {
		return false
	}
	name, ok := d.Call.Fun.(*ast.Ident)
	address, isAddress := d.Call.Args[0].(*ast.UnaryExpr)
	if !ok || !isAddress || address.Op != token.AND {
		return false
	}
	of, ok := address.X.(*ast.Ident)
	return ok && name.Name == "guard" && of.Name == "err"
}
