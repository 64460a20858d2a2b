package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// provider answers the calls of protocol 6. The embedded interface stands for those that OpenTofu does not make.
type provider struct {
	tfprotov6.ProviderServer
	schemas *schemas
	rules   *rules
	world   *worldFile
	// Arguments that are missing and that a call needs.
	missing []string
}

func failed(err error) []*tfprotov6.Diagnostic {
	if err == nil {
		return nil
	}
	summary, detail, _ := strings.Cut(err.Error(), "\n")
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}}
}

func (p *provider) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return &tfprotov6.GetMetadataResponse{ServerCapabilities: p.schemas.ServerCapabilities}, nil
}

func (p *provider) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*schemas, error) {
	return p.schemas, nil
}

func (p *provider) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (p *provider) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (p *provider) ValidateProviderConfig(_ context.Context, request *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: request.Config}, nil
}

func (p *provider) ConfigureProvider(_ context.Context, request *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{Diagnostics: failed(p.configure(request.Config))}, nil
}

func (p *provider) configure(given *tfprotov6.DynamicValue) error {
	config, err := decodeTree(given, p.schemas.Provider.ValueType())
	if err != nil {
		return err
	}
	now, err := p.world.read()
	if err != nil {
		return err
	}
	if err := now.fail("provider.configure"); err != nil {
		return err
	}
	p.missing = nil
	for _, name := range slices.Sorted(maps.Keys(p.rules.Provider.Required)) {
		if text, isText := config[name].(string); config[name] == nil || isText && text == "" {
			if os.Getenv(p.rules.Provider.Required[name]) == "" {
				p.missing = append(p.missing, name)
			}
		}
	}
	if p.rules.Provider.Checked == "configure" {
		return p.demandArguments()
	}
	return nil
}

func (p *provider) demandArguments() error {
	if len(p.missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s\n%s", p.rules.Provider.Error, strings.Join(p.missing, ", "))
}

func (p *provider) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (p *provider) UpgradeResourceState(_ context.Context, request *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	response := &tfprotov6.UpgradeResourceStateResponse{}
	kind := p.schemas.ResourceSchemas[request.TypeName].ValueType()
	options := tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}}
	value, err := request.RawState.UnmarshalWithOpts(kind, options)
	if err != nil {
		response.Diagnostics = failed(err)
		return response, nil
	}
	upgraded, err := tfprotov6.NewDynamicValue(kind, value)
	response.UpgradedState, response.Diagnostics = &upgraded, failed(err)
	return response, nil
}

func (p *provider) ReadResource(_ context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	state, err := p.read(request.TypeName, request.CurrentState)
	return &tfprotov6.ReadResourceResponse{NewState: state, Diagnostics: failed(err), Private: request.Private}, nil
}

func (p *provider) read(name string, current *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	kind := p.schemas.ResourceSchemas[name].ValueType()
	state, err := decodeTree(current, kind)
	if err != nil {
		return current, err
	}
	now, err := p.called(name + ".read")
	if err != nil || !p.world.remembers() {
		return current, err
	}
	rules := p.rules.Resources[name]
	identity, _ := state[rules.identity()].(string)
	found, ok := now.Objects[name][identity]
	if !ok {
		return encode(nil, kind)
	}
	read := maps.Clone(found)
	for _, attribute := range rules.Unreadable {
		read[attribute] = state[attribute]
	}
	return encode(read, kind)
}

// called gives the world to a call that changes nothing, unless it was told to fail.
func (p *provider) called(call string) (*world, error) {
	if err := p.demandArguments(); err != nil {
		return nil, err
	}
	now, err := p.world.read()
	if err != nil {
		return nil, err
	}
	return now, now.fail(call)
}

func (p *provider) PlanResourceChange(_ context.Context, request *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	response := &tfprotov6.PlanResourceChangeResponse{}
	planned, replace, err := p.plan(request)
	response.PlannedState, response.RequiresReplace, response.Diagnostics = planned, replace, failed(err)
	return response, nil
}

func (p *provider) plan(request *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.DynamicValue, []*tftypes.AttributePath, error) {
	schema := p.schemas.ResourceSchemas[request.TypeName]
	kind := schema.ValueType()
	prior, err := decodeTree(request.PriorState, kind)
	if err != nil {
		return nil, nil, err
	}
	proposed, err := decodeTree(request.ProposedNewState, kind)
	if err != nil || proposed == nil {
		return request.ProposedNewState, nil, err
	}
	rules := p.rules.Resources[request.TypeName]
	if prior == nil {
		for name, value := range rules.Defaults {
			if proposed[name] == nil {
				proposed[name] = value
			}
		}
	}
	planBlock(schema.Block, proposed, prior == nil)
	var replace []*tftypes.AttributePath
	if prior != nil {
		if !reflect.DeepEqual(prior, proposed) {
			for _, name := range rules.UnknownOnUpdate {
				proposed[name] = unknown{}
			}
		}
		for _, path := range rules.Replace {
			names := strings.Split(path, ".")
			if !reflect.DeepEqual(pick(prior, names), pick(proposed, names)) {
				replace = append(replace, tftypes.NewAttributePath().WithAttributeName(names[0]))
			}
		}
	}
	planned, err := encode(proposed, kind)
	return planned, replace, err
}

// pick collects what lies at a path, over all members of the lists on the way.
func pick(value any, names []string) any {
	switch value := value.(type) {
	case []any:
		var all []any
		for _, member := range value {
			all = append(all, pick(member, names))
		}
		return all
	case tree:
		if len(names) > 0 {
			return pick(value[names[0]], names[1:])
		}
	}
	return value
}

// planBlock makes computed attributes unknown that nobody gave, in what is new, and drops what is only written.
func planBlock(block *tfprotov6.SchemaBlock, value tree, creating bool) {
	planAttributes(block.Attributes, value, creating)
	for _, nested := range block.BlockTypes {
		for _, member := range membersOf(value[nested.TypeName]) {
			planBlock(nested.Block, member, creating)
		}
	}
}

func planAttributes(attributes []*tfprotov6.SchemaAttribute, value tree, creating bool) {
	for _, attribute := range attributes {
		switch {
		case attribute.WriteOnly:
			value[attribute.Name] = nil
		case value[attribute.Name] == nil && attribute.Computed && creating:
			value[attribute.Name] = unknown{}
		case attribute.NestedType != nil:
			members := membersOf(value[attribute.Name])
			if attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeMap {
				members = mapMembersOf(value[attribute.Name])
			}
			for _, member := range members {
				planAttributes(attribute.NestedType.Attributes, member, creating)
			}
		}
	}
}

// membersOf gives the objects in a value that is one, or a list or set of them.
func membersOf(value any) []tree {
	switch value := value.(type) {
	case tree:
		return []tree{value}
	case []any:
		var all []tree
		for _, member := range value {
			all = append(all, membersOf(member)...)
		}
		return all
	}
	return nil
}

func mapMembersOf(value any) []tree {
	var all []tree
	members, _ := value.(tree)
	for _, member := range members {
		all = append(all, membersOf(member)...)
	}
	return all
}

func (p *provider) ApplyResourceChange(_ context.Context, request *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	response := &tfprotov6.ApplyResourceChangeResponse{}
	state, err := p.apply(request)
	if err != nil {
		// What was not done stays in state as it was.
		state = request.PriorState
	}
	response.NewState, response.Diagnostics = state, failed(err)
	return response, nil
}

func (p *provider) apply(request *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.DynamicValue, error) {
	name := request.TypeName
	kind := p.schemas.ResourceSchemas[name].ValueType()
	prior, err := decodeTree(request.PriorState, kind)
	if err != nil {
		return nil, err
	}
	planned, err := decodeTree(request.PlannedState, kind)
	if err != nil {
		return nil, err
	}
	if err := p.demandArguments(); err != nil {
		return nil, err
	}
	var state any
	err = p.world.change(func(now *world) error {
		switch {
		case planned == nil:
			return p.delete(now, name, prior)
		case prior == nil:
			state = planned
			return p.create(now, name, planned)
		default:
			state = planned
			return p.update(now, name, planned)
		}
	})
	if err != nil {
		return nil, err
	}
	return encode(state, kind)
}

func (p *provider) create(now *world, name string, planned tree) error {
	if err := now.fail(name + ".create"); err != nil {
		return err
	}
	rules := p.rules.Resources[name]
	for _, rule := range rules.Unique {
		if err := rule.check(now.Objects[name], planned); err != nil {
			return err
		}
	}
	now.Created[name]++
	if err := p.fill(name, planned, fmt.Sprintf("%s/%d", name, now.Created[name])); err != nil {
		return err
	}
	p.remember(now, "create", name, planned)
	return nil
}

func (r uniqueRule) check(objects map[string]tree, planned tree) error {
	wanted, _ := planned[r.Attribute].(string)
	for _, object := range objects {
		other, _ := object[r.Attribute].(string)
		if wanted == other || r.IgnoreCase && strings.EqualFold(wanted, other) {
			return fmt.Errorf("%s", strings.ReplaceAll(r.Error, "{value}", wanted))
		}
	}
	return nil
}

func (p *provider) update(now *world, name string, planned tree) error {
	if err := now.fail(name + ".update"); err != nil {
		return err
	}
	if err := p.fill(name, planned, fmt.Sprintf("%s/update/%d", name, len(now.Calls))); err != nil {
		return err
	}
	p.remember(now, "update", name, planned)
	return nil
}

func (p *provider) delete(now *world, name string, prior tree) error {
	if err := now.fail(name + ".delete"); err != nil {
		return err
	}
	identity, _ := prior[p.rules.Resources[name].identity()].(string)
	if message, ok := now.Objects[name][identity]["$delete_fails"].(string); ok {
		return fmt.Errorf("%s", message)
	}
	delete(now.Objects[name], identity)
	now.log(name+".delete", identity)
	return nil
}

func (p *provider) remember(now *world, call, name string, attributes tree) {
	identity, ok := attributes[p.rules.Resources[name].identity()].(string)
	if !ok {
		identity = fmt.Sprint(now.Created[name])
	}
	now.put(name, identity, attributes)
	now.log(name+"."+call, identity)
}

// fill gives every unknown attribute a value.
func (p *provider) fill(name string, planned tree, seed string) error {
	kind, _ := p.schemas.ResourceSchemas[name].ValueType().(tftypes.Object)
	rules := p.rules.Resources[name]
	isUnknown := func(attribute string) bool { return planned[attribute] == unknown{} }
	repeated := slices.DeleteFunc(slices.Collect(maps.Keys(rules.Same)), func(a string) bool { return !isUnknown(a) })
	for attribute, format := range rules.Formats {
		if !isUnknown(attribute) {
			continue
		}
		text, err := stableText(format, attribute, seed)
		if err != nil {
			return err
		}
		planned[attribute] = text
	}
	for attribute, inner := range kind.AttributeTypes {
		planned[attribute] = fillUnknown(planned[attribute], inner, attribute, seed)
	}
	for _, attribute := range repeated {
		planned[attribute] = planned[rules.Same[attribute]]
	}
	return nil
}

func fillUnknown(value any, kind tftypes.Type, name, seed string) any {
	if _, is := value.(unknown); is {
		return stable(kind, name, seed)
	}
	switch value := value.(type) {
	case []any:
		for i, member := range value {
			value[i] = fillUnknown(member, elementOf(kind, i), fmt.Sprintf("%s.%d", name, i), seed)
		}
	case tree:
		for key, member := range value {
			value[key] = fillUnknown(member, memberOf(kind, key), name+"."+key, seed)
		}
	}
	return value
}

func elementOf(kind tftypes.Type, i int) tftypes.Type {
	switch kind := kind.(type) {
	case tftypes.List:
		return kind.ElementType
	case tftypes.Set:
		return kind.ElementType
	case tftypes.Tuple:
		return kind.ElementTypes[i]
	}
	return nil
}

func memberOf(kind tftypes.Type, key string) tftypes.Type {
	switch kind := kind.(type) {
	case tftypes.Map:
		return kind.ElementType
	case tftypes.Object:
		return kind.AttributeTypes[key]
	}
	return nil
}

func (p *provider) ImportResourceState(_ context.Context, request *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	response := &tfprotov6.ImportResourceStateResponse{}
	state, err := p.importState(request.TypeName, request.ID)
	if err != nil {
		response.Diagnostics = failed(err)
		return response, nil
	}
	response.ImportedResources = []*tfprotov6.ImportedResource{{TypeName: request.TypeName, State: state}}
	return response, nil
}

// importState sets what the id says; the read that follows finds the rest, or nothing.
func (p *provider) importState(name, id string) (*tfprotov6.DynamicValue, error) {
	if _, err := p.called(name + ".import"); err != nil {
		return nil, err
	}
	parts, err := p.rules.Resources[name].parseImport(id)
	if err != nil {
		return nil, err
	}
	state := tree{}
	for attribute, value := range parts {
		state[attribute] = value
	}
	return encode(state, p.schemas.ResourceSchemas[name].ValueType())
}

func (p *provider) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (p *provider) ReadDataSource(_ context.Context, request *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	state, err := p.readData(request.TypeName, request.Config)
	return &tfprotov6.ReadDataSourceResponse{State: state, Diagnostics: failed(err)}, nil
}

func (p *provider) readData(name string, given *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	schema := p.schemas.DataSourceSchemas[name]
	config, err := decodeTree(given, schema.ValueType())
	if err != nil {
		return nil, err
	}
	now, err := p.called("data." + name + ".read")
	if err != nil {
		return nil, err
	}
	rules := p.rules.DataSources[name]
	objects := now.Objects[name]
	if rules.Of != "" {
		objects = now.Objects[rules.Of]
	}
	matches := slices.Collect(maps.Values(objects))
	matches = slices.DeleteFunc(matches, func(object tree) bool { return !matchesGiven(object, config) })
	if rules.MustMatch && p.world.remembers() && len(matches) == 0 {
		return nil, fmt.Errorf("%s", rules.None)
	}
	if rules.MustMatch && len(matches) > 1 {
		return nil, fmt.Errorf("%s", rules.Many)
	}
	if len(matches) == 1 {
		for attribute, value := range matches[0] {
			if config[attribute] == nil {
				config[attribute] = value
			}
		}
		return encode(config, schema.ValueType())
	}
	return p.makeUp(schema, config, "data/"+name)
}

func matchesGiven(object, config tree) bool {
	for attribute, value := range config {
		if value != nil && !reflect.DeepEqual(value, object[attribute]) {
			return false
		}
	}
	return true
}

// makeUp answers with what was given, and with made-up values for the rest: the same for the same.
func (p *provider) makeUp(schema *tfprotov6.Schema, config tree, seed string) (*tfprotov6.DynamicValue, error) {
	seed = fmt.Sprintf("%s/%v", seed, config)
	planBlock(schema.Block, config, true)
	kind, _ := schema.ValueType().(tftypes.Object)
	for attribute, inner := range kind.AttributeTypes {
		config[attribute] = fillUnknown(config[attribute], inner, attribute, seed)
	}
	return encode(config, kind)
}

func (p *provider) ValidateEphemeralResourceConfig(context.Context, *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{}, nil
}

func (p *provider) OpenEphemeralResource(_ context.Context, request *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	response := &tfprotov6.OpenEphemeralResourceResponse{}
	schema := p.schemas.EphemeralResourceSchemas[request.TypeName]
	config, err := decodeTree(request.Config, schema.ValueType())
	if err != nil {
		response.Diagnostics = failed(err)
		return response, nil
	}
	result, err := p.makeUp(schema, config, "ephemeral/"+request.TypeName)
	response.Result, response.Diagnostics = result, failed(err)
	return response, nil
}

func (p *provider) CloseEphemeralResource(context.Context, *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return &tfprotov6.CloseEphemeralResourceResponse{}, nil
}

func (p *provider) GetFunctions(context.Context, *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return &tfprotov6.GetFunctionsResponse{Functions: p.schemas.Functions}, nil
}

func (p *provider) CallFunction(_ context.Context, request *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	function := p.schemas.Functions[request.Name]
	seed := request.Name
	for i, argument := range request.Arguments {
		value, err := decode(argument, argumentType(function, i))
		if err != nil {
			return &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: err.Error()}}, nil
		}
		seed = fmt.Sprintf("%s/%v", seed, value)
	}
	result, err := encode(stable(function.Return.Type, "result", seed), function.Return.Type)
	if err != nil {
		return &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: err.Error()}}, nil
	}
	return &tfprotov6.CallFunctionResponse{Result: result}, nil
}

func argumentType(function *tfprotov6.Function, i int) tftypes.Type {
	if i < len(function.Parameters) {
		return function.Parameters[i].Type
	}
	return function.VariadicParameter.Type
}
