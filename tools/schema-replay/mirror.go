package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// addressOf tells a provider's address from the name of its schema file, <namespace>__<type>.json; what follows the
// type after a dot is of no matter.
func addressOf(file string) (string, error) {
	namespace, rest, ok := strings.Cut(filepath.Base(file), "__")
	kind, _, _ := strings.Cut(rest, ".")
	if !ok || namespace == "" || kind == "" {
		return "", fmt.Errorf("%s: expected a file name <namespace>__<type>.json", file)
	}
	return "registry.opentofu.org/" + namespace + "/" + kind, nil
}

// writeMirror lays out a folder that `provider_installation { filesystem_mirror }` reads, and a CLI configuration
// `tofurc` beside it that reads from there alone. Each provider in it is a script that starts this program: small, so
// that the checksum that `tofu init` takes of it costs nothing.
func writeMirror(folder string, pins []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	for _, pin := range pins {
		file, version, ok := strings.Cut(pin, "=")
		if !ok {
			return fmt.Errorf("%s: expected SCHEMA-FILE=VERSION", pin)
		}
		if err := writeProvider(folder, self, file, version); err != nil {
			return err
		}
	}
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", folder)
	return os.WriteFile(filepath.Join(folder, "tofurc"), []byte(config), 0o644)
}

func writeProvider(folder, self, file, version string) error {
	address, err := addressOf(file)
	if err != nil {
		return err
	}
	schema, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if _, err := os.Stat(schema); err != nil {
		return err
	}
	platform := runtime.GOOS + "_" + runtime.GOARCH
	target := filepath.Join(folder, filepath.FromSlash(address), version, platform)
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	name := fmt.Sprintf("terraform-provider-%s_v%s", filepath.Base(filepath.FromSlash(address)), version)
	script := fmt.Sprintf("#!/bin/sh\nexec %s --schema %s\n", shellQuote(self), shellQuote(schema))
	return os.WriteFile(filepath.Join(target, name), []byte(script), 0o755)
}

func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
