// Command schema-replay is a provider for tests: it serves the schema of a real provider, read from a file as
// `tofu providers schema -json` prints it, and keeps fake remote objects in another file. It talks to no service,
// and nothing that ships may use it. See README.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schema-replay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "mirror" {
		if len(args) < 3 {
			return fmt.Errorf("usage: schema-replay mirror FOLDER SCHEMA-FILE=VERSION...")
		}
		return writeMirror(args[1], args[2:])
	}
	if len(args) > 0 && args[0] == "change" {
		if len(args) != 2 {
			return fmt.Errorf("usage: schema-replay change WORLD-FILE <MERGE-PATCH")
		}
		return changeWorld(&worldFile{path: args[1]}, os.Stdin, os.Stdout)
	}
	flags := flag.NewFlagSet("schema-replay", flag.ContinueOnError)
	file := flags.String("schema", os.Getenv("SCHEMA_REPLAY_SCHEMA"), "provider schema to serve")
	if err := flags.Parse(args); err != nil {
		return err
	}
	schemas, err := readSchemas(*file)
	if err != nil {
		return err
	}
	rules, err := readRules(*file)
	if err != nil {
		return err
	}
	name, err := addressOf(*file)
	if err != nil {
		return err
	}
	provider := &provider{
		schemas: schemas,
		rules:   rules,
		world:   &worldFile{path: os.Getenv("SCHEMA_REPLAY_WORLD")},
	}
	return tf6server.Serve(name, func() tfprotov6.ProviderServer { return provider })
}
