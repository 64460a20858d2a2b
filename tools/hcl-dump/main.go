// Command hcl-dump is for tests: it reads HCL texts with the library that OpenTofu reads them with, and says what
// stands in them. In: a JSON list of texts on stdin. Out: a JSON list on stdout, for each text its body or the error.
// Comments are left out, and nothing is evaluated but literals.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "hcl-dump:", err)
		os.Exit(1)
	}
}

func run() error {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		return fmt.Errorf("expected a JSON list of texts on stdin: %w", err)
	}
	results := make([]node, len(texts))
	for i, text := range texts {
		results[i] = dump(text)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(results)
}

type node = map[string]any

func dump(text string) node {
	file, diagnostics := hclsyntax.ParseConfig([]byte(text), "text", hcl.InitialPos)
	if diagnostics.HasErrors() {
		return node{"error": diagnostics.Error()}
	}
	return node{"items": dumpBody(file.Body.(*hclsyntax.Body))}
}

// dumpBody lists attributes and blocks in the order of the text.
func dumpBody(body *hclsyntax.Body) []node {
	type placed struct {
		at   int
		item node
	}
	all := []placed{}
	for _, attribute := range body.Attributes {
		item := node{"kind": "attribute", "name": attribute.Name, "value": dumpExpression(attribute.Expr)}
		all = append(all, placed{attribute.NameRange.Start.Byte, item})
	}
	for _, block := range body.Blocks {
		labels := append([]string{}, block.Labels...)
		item := node{"kind": "block", "type": block.Type, "labels": labels, "items": dumpBody(block.Body)}
		all = append(all, placed{block.TypeRange.Start.Byte, item})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].at < all[j].at })
	items := make([]node, len(all))
	for i, one := range all {
		items[i] = one.item
	}
	return items
}

func dumpExpression(expression hclsyntax.Expression) node {
	switch e := expression.(type) {
	case *hclsyntax.LiteralValueExpr:
		return dumpValue(e.Val)
	case *hclsyntax.UnaryOpExpr:
		if _, ok := e.Val.(*hclsyntax.LiteralValueExpr); ok && e.Op == hclsyntax.OpNegate {
			return dumpLiteral(e)
		}
	case *hclsyntax.TemplateExpr:
		for _, part := range e.Parts {
			if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
				return node{"kind": "template"}
			}
		}
		return dumpLiteral(e)
	case *hclsyntax.TupleConsExpr:
		return node{"kind": "list", "items": dumpAll(e.Exprs)}
	case *hclsyntax.ObjectConsExpr:
		return dumpObject(e)
	case *hclsyntax.ForExpr:
		return dumpFor(e)
	case *hclsyntax.FunctionCallExpr:
		return node{"kind": "call", "name": e.Name, "args": dumpAll(e.Args)}
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr:
		return dumpReference(e)
	}
	return node{"kind": fmt.Sprintf("%T", expression)}
}

func dumpAll(expressions []hclsyntax.Expression) []node {
	all := make([]node, len(expressions))
	for i, expression := range expressions {
		all[i] = dumpExpression(expression)
	}
	return all
}

func dumpLiteral(expression hclsyntax.Expression) node {
	value, diagnostics := expression.Value(nil)
	if diagnostics.HasErrors() {
		return node{"kind": "error", "error": diagnostics.Error()}
	}
	return dumpValue(value)
}

// dumpValue writes a number as text, so that no digit is lost.
func dumpValue(value cty.Value) node {
	switch {
	case value.IsNull():
		return node{"kind": "null"}
	case value.Type() == cty.String:
		return node{"kind": "string", "value": value.AsString()}
	case value.Type() == cty.Number:
		return node{"kind": "number", "value": value.AsBigFloat().Text('f', -1)}
	case value.Type() == cty.Bool:
		return node{"kind": "bool", "value": value.True()}
	}
	return node{"kind": value.Type().FriendlyName()}
}

func dumpObject(object *hclsyntax.ObjectConsExpr) node {
	entries := make([]node, len(object.Items))
	for i, item := range object.Items {
		key := node{"kind": "string", "value": hcl.ExprAsKeyword(item.KeyExpr)}
		if key["value"] == "" {
			key = dumpExpression(item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr).Wrapped)
		}
		entries[i] = node{"key": key, "value": dumpExpression(item.ValueExpr)}
	}
	return node{"kind": "object", "entries": entries}
}

func dumpFor(loop *hclsyntax.ForExpr) node {
	iterator := node{"key": loop.KeyVar, "value": loop.ValVar, "collection": dumpExpression(loop.CollExpr)}
	if loop.CondExpr != nil || loop.Group {
		return node{"kind": "for with more"}
	}
	if loop.KeyExpr == nil {
		return node{"kind": "for-list", "iterator": iterator, "item": dumpExpression(loop.ValExpr)}
	}
	key, value := dumpExpression(loop.KeyExpr), dumpExpression(loop.ValExpr)
	return node{"kind": "for-object", "iterator": iterator, "key": key, "value": value}
}

// dumpReference flattens what the parser nests: a name and the steps from it. Whether an index is a literal, which the
// parser keeps apart in its own way, is told by its key.
func dumpReference(expression hclsyntax.Expression) node {
	switch e := expression.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return extend(node{"kind": "reference", "root": e.Traversal.RootName(), "steps": []node{}}, e.Traversal[1:])
	case *hclsyntax.RelativeTraversalExpr:
		return extend(dumpReference(e.Source), e.Traversal)
	case *hclsyntax.IndexExpr:
		source := dumpReference(e.Collection)
		return addStep(source, node{"kind": "index", "key": dumpExpression(e.Key)})
	}
	return node{"kind": fmt.Sprintf("reference from %T", expression), "steps": []node{}}
}

func extend(reference node, traversal hcl.Traversal) node {
	for _, step := range traversal {
		switch s := step.(type) {
		case hcl.TraverseAttr:
			reference = addStep(reference, node{"kind": "attribute", "name": s.Name})
		case hcl.TraverseIndex:
			reference = addStep(reference, node{"kind": "index", "key": dumpValue(s.Key)})
		default:
			reference = addStep(reference, node{"kind": fmt.Sprintf("%T", step)})
		}
	}
	return reference
}

func addStep(reference, step node) node {
	reference["steps"] = append(reference["steps"].([]node), step)
	return reference
}
