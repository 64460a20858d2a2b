package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The shape that `tofu providers schema -json` gives to one provider.
type schemaFile struct {
	Provider    schemaJSON              `json:"provider"`
	Resources   map[string]schemaJSON   `json:"resource_schemas"`
	DataSources map[string]schemaJSON   `json:"data_source_schemas"`
	Ephemerals  map[string]schemaJSON   `json:"ephemeral_resource_schemas"`
	Functions   map[string]functionJSON `json:"functions"`
}

type schemaJSON struct {
	Version int64     `json:"version"`
	Block   blockJSON `json:"block"`
}

type blockJSON struct {
	Attributes map[string]attributeJSON   `json:"attributes"`
	Blocks     map[string]nestedBlockJSON `json:"block_types"`
	Deprecated bool                       `json:"deprecated"`
}

type attributeJSON struct {
	Type       *typeJSON       `json:"type"`
	NestedType *nestedTypeJSON `json:"nested_type"`
	Required   bool            `json:"required"`
	Optional   bool            `json:"optional"`
	Computed   bool            `json:"computed"`
	Sensitive  bool            `json:"sensitive"`
	WriteOnly  bool            `json:"write_only"`
	Deprecated bool            `json:"deprecated"`
}

type nestedTypeJSON struct {
	Attributes map[string]attributeJSON `json:"attributes"`
	Nesting    string                   `json:"nesting_mode"`
}

type nestedBlockJSON struct {
	Block   blockJSON `json:"block"`
	Nesting string    `json:"nesting_mode"`
	Min     int64     `json:"min_items"`
	Max     int64     `json:"max_items"`
}

type functionJSON struct {
	Parameters []parameterJSON `json:"parameters"`
	Variadic   *parameterJSON  `json:"variadic_parameter"`
	Return     typeJSON        `json:"return_type"`
}

type parameterJSON struct {
	Name     string   `json:"name"`
	Type     typeJSON `json:"type"`
	Nullable bool     `json:"is_nullable"`
}

type typeJSON struct{ tftypes.Type }

func (t *typeJSON) UnmarshalJSON(data []byte) error {
	parsed, err := tftypes.ParseJSONType(data) //nolint:staticcheck // deprecated for providers; this reads their schemas
	if err != nil {
		return err
	}
	if hasDynamic(parsed) {
		return fmt.Errorf("type %s: dynamic types are not supported", data)
	}
	t.Type = parsed
	return nil
}

func hasDynamic(t tftypes.Type) bool {
	switch t := t.(type) {
	case tftypes.List:
		return hasDynamic(t.ElementType)
	case tftypes.Set:
		return hasDynamic(t.ElementType)
	case tftypes.Map:
		return hasDynamic(t.ElementType)
	case tftypes.Tuple:
		return slices.ContainsFunc(t.ElementTypes, hasDynamic)
	case tftypes.Object:
		return slices.ContainsFunc(slices.Collect(maps.Values(t.AttributeTypes)), hasDynamic)
	}
	return t.Is(tftypes.DynamicPseudoType)
}

// schemas is what GetProviderSchema answers.
type schemas = tfprotov6.GetProviderSchemaResponse

func readSchemas(file string) (*schemas, error) {
	if file == "" {
		return nil, fmt.Errorf("no schema: give --schema FILE or SCHEMA_REPLAY_SCHEMA")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var read schemaFile
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	functions := map[string]*tfprotov6.Function{}
	for name, function := range read.Functions {
		functions[name] = function.toProtocol()
	}
	return &schemas{
		ServerCapabilities:       &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true},
		Provider:                 read.Provider.toProtocol(),
		ResourceSchemas:          toSchemas(read.Resources),
		DataSourceSchemas:        toSchemas(read.DataSources),
		EphemeralResourceSchemas: toSchemas(read.Ephemerals),
		Functions:                functions,
	}, nil
}

func toSchemas(read map[string]schemaJSON) map[string]*tfprotov6.Schema {
	all := map[string]*tfprotov6.Schema{}
	for name, schema := range read {
		all[name] = schema.toProtocol()
	}
	return all
}

func (s schemaJSON) toProtocol() *tfprotov6.Schema {
	return &tfprotov6.Schema{Version: s.Version, Block: s.Block.toProtocol()}
}

func (b blockJSON) toProtocol() *tfprotov6.SchemaBlock {
	block := &tfprotov6.SchemaBlock{Attributes: toAttributes(b.Attributes), Deprecated: b.Deprecated}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		nested := b.Blocks[name]
		block.BlockTypes = append(block.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name,
			Block:    nested.Block.toProtocol(),
			Nesting:  blockNesting[nested.Nesting],
			MinItems: nested.Min,
			MaxItems: nested.Max,
		})
	}
	return block
}

var blockNesting = map[string]tfprotov6.SchemaNestedBlockNestingMode{
	"single": tfprotov6.SchemaNestedBlockNestingModeSingle,
	"list":   tfprotov6.SchemaNestedBlockNestingModeList,
	"set":    tfprotov6.SchemaNestedBlockNestingModeSet,
	"map":    tfprotov6.SchemaNestedBlockNestingModeMap,
	"group":  tfprotov6.SchemaNestedBlockNestingModeGroup,
}

var objectNesting = map[string]tfprotov6.SchemaObjectNestingMode{
	"single": tfprotov6.SchemaObjectNestingModeSingle,
	"list":   tfprotov6.SchemaObjectNestingModeList,
	"set":    tfprotov6.SchemaObjectNestingModeSet,
	"map":    tfprotov6.SchemaObjectNestingModeMap,
}

func toAttributes(read map[string]attributeJSON) []*tfprotov6.SchemaAttribute {
	var all []*tfprotov6.SchemaAttribute
	for _, name := range slices.Sorted(maps.Keys(read)) {
		a := read[name]
		attribute := &tfprotov6.SchemaAttribute{
			Name:       name,
			Required:   a.Required,
			Optional:   a.Optional,
			Computed:   a.Computed,
			Sensitive:  a.Sensitive,
			WriteOnly:  a.WriteOnly,
			Deprecated: a.Deprecated,
		}
		if a.Type != nil {
			attribute.Type = a.Type.Type
		}
		if a.NestedType != nil {
			attribute.NestedType = &tfprotov6.SchemaObject{
				Attributes: toAttributes(a.NestedType.Attributes),
				Nesting:    objectNesting[a.NestedType.Nesting],
			}
		}
		all = append(all, attribute)
	}
	return all
}

func (f functionJSON) toProtocol() *tfprotov6.Function {
	function := &tfprotov6.Function{Return: &tfprotov6.FunctionReturn{Type: f.Return.Type}}
	for _, parameter := range f.Parameters {
		function.Parameters = append(function.Parameters, parameter.toProtocol())
	}
	if f.Variadic != nil {
		function.VariadicParameter = f.Variadic.toProtocol()
	}
	return function
}

func (p parameterJSON) toProtocol() *tfprotov6.FunctionParameter {
	return &tfprotov6.FunctionParameter{Name: p.Name, Type: p.Type.Type, AllowNullValue: p.Nullable}
}
