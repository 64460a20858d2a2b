package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// rules is what a provider does and its schema does not say: <schema file without .json>.rules.json. All of it is optional.
type rules struct {
	Provider    providerRules              `json:"provider"`
	Resources   map[string]resourceRules   `json:"resources"`
	DataSources map[string]dataSourceRules `json:"data_sources"`
}

type providerRules struct {
	// Arguments that must be given, and the environment variable that may stand for each.
	Required map[string]string `json:"required"`
	// "configure": missing ones are refused at once; "call": by the first call that needs them.
	Checked string `json:"checked"`
	// Summary of that error; the argument's name follows as the detail.
	Error string `json:"error"`
}

type resourceRules struct {
	// Attribute by which an object is known; "id" where it does not say.
	Identity string `json:"identity"`
	// Paths of attributes whose change replaces the resource, e.g. "name" or "block.name".
	Replace []string `json:"replace"`
	// Values of optional and computed attributes that are not given.
	Defaults map[string]any `json:"defaults"`
	// Formats of computed texts, e.g. "hex:24".
	Formats map[string]string `json:"formats"`
	// Computed attributes that repeat another one.
	Same map[string]string `json:"same"`
	// Computed attributes that any change makes unknown.
	UnknownOnUpdate []string `json:"unknown_on_update"`
	// Attributes that are known when an object is created and can not be read afterwards.
	Unreadable []string `json:"unreadable"`
	// Pattern of import ids, e.g. "{zone_id}:{id}"; the identity alone where it does not say.
	Import string `json:"import"`
	// Attributes that no two objects may share.
	Unique []uniqueRule `json:"unique"`
}

type uniqueRule struct {
	Attribute  string `json:"attribute"`
	IgnoreCase bool   `json:"ignore_case"`
	// Summary of the error; {value} stands for the value.
	Error string `json:"error"`
}

type dataSourceRules struct {
	// Resource type whose objects answer; the data source's own name where it does not say.
	Of string `json:"of"`
	// Exactly one object must match what is given; otherwise values are made up where none does.
	MustMatch bool   `json:"must_match"`
	None      string `json:"none"`
	Many      string `json:"many"`
}

func readRules(schema string) (*rules, error) {
	file := strings.TrimSuffix(schema, ".json") + ".rules.json"
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return &rules{}, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var read rules
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &read, nil
}

func (r resourceRules) identity() string {
	if r.Identity == "" {
		return "id"
	}
	return r.Identity
}

var placeholder = regexp.MustCompile(`\\\{([a-z0-9_]+)\\\}`)

// parseImport tells attributes from an import id.
func (r resourceRules) parseImport(id string) (map[string]string, error) {
	pattern := r.Import
	if pattern == "" {
		pattern = "{" + r.identity() + "}"
	}
	expression := placeholder.ReplaceAllString(regexp.QuoteMeta(pattern), `(?P<$1>[^/:]+)`)
	compiled, err := regexp.Compile("^" + expression + "$")
	if err != nil {
		return nil, err
	}
	match := compiled.FindStringSubmatch(id)
	if match == nil {
		return nil, fmt.Errorf("import id %q: expected %s", id, pattern)
	}
	found := map[string]string{}
	for i, name := range compiled.SubexpNames() {
		if name != "" {
			found[name] = match[i]
		}
	}
	return found, nil
}
