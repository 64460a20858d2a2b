package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// changeWorld applies a JSON merge patch (RFC 7386) to the world while providers may use it, and prints what it was
// before. Reading and writing the file by itself would lose what they write in between.
func changeWorld(file *worldFile, patch io.Reader, before io.Writer) error {
	wanted, err := decodeAny(patch)
	if err != nil {
		return fmt.Errorf("the patch: %w", err)
	}
	return file.change(func(now *world) error {
		data, err := json.Marshal(now)
		if err != nil {
			return err
		}
		content, err := decodeAny(bytes.NewReader(data))
		if err != nil {
			return err
		}
		merged, err := json.Marshal(mergePatch(content, wanted))
		if err != nil {
			return err
		}
		changed := emptyWorld()
		decoder := json.NewDecoder(bytes.NewReader(merged))
		decoder.UseNumber()
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(changed); err != nil {
			return fmt.Errorf("the patch: %w", err)
		}
		*now = *changed
		_, err = fmt.Fprintf(before, "%s\n", data)
		return err
	})
}

func decodeAny(from io.Reader) (any, error) {
	decoder := json.NewDecoder(from)
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

func mergePatch(target, patch any) any {
	members, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	merged, _ := target.(map[string]any)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, member := range members {
		if member == nil {
			delete(merged, name)
		} else {
			merged[name] = mergePatch(merged[name], member)
		}
	}
	return merged
}
