package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values are handled as trees of what encoding/json makes (numbers as json.Number), plus this for "not known yet".
type unknown struct{}

type tree = map[string]any

func decode(value *tfprotov6.DynamicValue, kind tftypes.Type) (any, error) {
	if value == nil {
		return nil, nil
	}
	typed, err := value.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	return toTree(typed)
}

// decodeTree is nil for null.
func decodeTree(value *tfprotov6.DynamicValue, kind tftypes.Type) (tree, error) {
	decoded, err := decode(value, kind)
	object, _ := decoded.(tree)
	return object, err
}

func toTree(value tftypes.Value) (any, error) {
	if !value.IsKnown() {
		return unknown{}, nil
	}
	if value.IsNull() {
		return nil, nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		var text string
		err := value.As(&text)
		return text, err
	case kind.Is(tftypes.Bool):
		var truth bool
		err := value.As(&truth)
		return truth, err
	case kind.Is(tftypes.Number):
		var number big.Float
		err := value.As(&number)
		return json.Number(number.Text('g', -1)), err
	case kind.Is(tftypes.Map{}), kind.Is(tftypes.Object{}):
		var members map[string]tftypes.Value
		if err := value.As(&members); err != nil {
			return nil, err
		}
		object := tree{}
		for name, member := range members {
			decoded, err := toTree(member)
			if err != nil {
				return nil, err
			}
			object[name] = decoded
		}
		return object, nil
	default:
		var members []tftypes.Value
		if err := value.As(&members); err != nil {
			return nil, err
		}
		list := make([]any, len(members))
		for i, member := range members {
			decoded, err := toTree(member)
			if err != nil {
				return nil, err
			}
			list[i] = decoded
		}
		return list, nil
	}
}

func encode(value any, kind tftypes.Type) (*tfprotov6.DynamicValue, error) {
	typed, err := fromTree(value, kind)
	if err != nil {
		return nil, err
	}
	dynamic, err := tfprotov6.NewDynamicValue(kind, typed)
	return &dynamic, err
}

// fromTree takes what an object lacks as null and leaves out what its type does not name.
func fromTree(value any, kind tftypes.Type) (tftypes.Value, error) {
	switch value := value.(type) {
	case nil:
		return tftypes.NewValue(kind, nil), nil
	case unknown:
		return tftypes.NewValue(kind, tftypes.UnknownValue), nil
	case string:
		if kind.Is(tftypes.String) {
			return tftypes.NewValue(kind, value), nil
		}
	case bool:
		if kind.Is(tftypes.Bool) {
			return tftypes.NewValue(kind, value), nil
		}
	case json.Number:
		if kind.Is(tftypes.Number) {
			number, _, err := big.ParseFloat(value.String(), 10, 512, big.ToNearestEven)
			return tftypes.NewValue(kind, number), err
		}
	case []any:
		return fromList(value, kind)
	case tree:
		return fromMembers(value, kind)
	}
	return tftypes.Value{}, fmt.Errorf("a %T where %s belongs", value, kind)
}

func fromList(list []any, kind tftypes.Type) (tftypes.Value, error) {
	element := func(int) tftypes.Type { return nil }
	switch kind := kind.(type) {
	case tftypes.List:
		element = func(int) tftypes.Type { return kind.ElementType }
	case tftypes.Set:
		element = func(int) tftypes.Type { return kind.ElementType }
	case tftypes.Tuple:
		element = func(i int) tftypes.Type { return kind.ElementTypes[i] }
	default:
		return tftypes.Value{}, fmt.Errorf("a list where %s belongs", kind)
	}
	values := make([]tftypes.Value, len(list))
	for i, member := range list {
		value, err := fromTree(member, element(i))
		if err != nil {
			return tftypes.Value{}, err
		}
		values[i] = value
	}
	return tftypes.NewValue(kind, values), nil
}

func fromMembers(object tree, kind tftypes.Type) (tftypes.Value, error) {
	values := map[string]tftypes.Value{}
	switch kind := kind.(type) {
	case tftypes.Map:
		for name, member := range object {
			value, err := fromTree(member, kind.ElementType)
			if err != nil {
				return tftypes.Value{}, err
			}
			values[name] = value
		}
	case tftypes.Object:
		for name, attribute := range kind.AttributeTypes {
			value, err := fromTree(object[name], attribute)
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
			values[name] = value
		}
	default:
		return tftypes.Value{}, fmt.Errorf("an object where %s belongs", kind)
	}
	return tftypes.NewValue(kind, values), nil
}

// stable makes a value up: the same for the same seed, and of the given type. Collections are empty.
func stable(kind tftypes.Type, name, seed string) any {
	sum := sha256.Sum256([]byte(seed + "/" + name))
	switch kind := kind.(type) {
	case tftypes.List, tftypes.Set:
		return []any{}
	case tftypes.Map:
		return tree{}
	case tftypes.Tuple:
		list := make([]any, len(kind.ElementTypes))
		for i, element := range kind.ElementTypes {
			list[i] = stable(element, strconv.Itoa(i), seed)
		}
		return list
	case tftypes.Object:
		object := tree{}
		for attribute, inner := range kind.AttributeTypes {
			object[attribute] = stable(inner, name+"."+attribute, seed)
		}
		return object
	}
	switch {
	case kind.Is(tftypes.Number):
		return json.Number(strconv.Itoa(int(binary.BigEndian.Uint16(sum[:]))))
	case kind.Is(tftypes.Bool):
		return false
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}

// stableText makes a text of a format up; the one there is is "hex:<digits>".
func stableText(format, name, seed string) (string, error) {
	digits, err := strconv.Atoi(strings.TrimPrefix(format, "hex:"))
	sum := sha256.Sum256([]byte(seed + "/" + name))
	text := hex.EncodeToString(sum[:])
	if err != nil || !strings.HasPrefix(format, "hex:") || digits < 1 || digits > len(text) {
		return "", fmt.Errorf("format %q: expected hex:1 to hex:%d", format, len(text))
	}
	return text[:digits], nil
}
