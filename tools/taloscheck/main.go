// Taloscheck does what `topf render` does and validates the result: for every node of a cluster folder it takes the
// base configuration of Talos' own machinery, applies the patches in topf's order, and runs Talos' strict validation.
//
//	taloscheck [-o FOLDER] CLUSTER < SECRETS
//
// CLUSTER holds topf.yaml and the patches. SECRETS is the decrypted secrets bundle, and nothing of it is printed or
// written. With -o each node's configuration goes to FOLDER/HOST.yaml, its secrets replaced.
//
// It stands in for topf, which cannot be installed from a package registry. Of topf's features it has those that this
// repository uses: no node provider, no secrets provider, no vals, no patches that are encrypted.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/compatibility"
	talosconfig "github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/bundle"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
	"go.yaml.in/yaml/v4"
)

func main() {
	out := flag.String("o", "", "folder for each node's configuration, without its secrets")
	newSecrets := flag.Bool("new-secrets", false, "print a new secrets bundle and end")
	flag.Parse()
	var err error
	switch {
	case *newSecrets && flag.NArg() == 0:
		err = printNewSecrets()
	case !*newSecrets && flag.NArg() == 1:
		err = check(flag.Arg(0), *out)
	default:
		fmt.Fprintln(os.Stderr, "usage: taloscheck [-o FOLDER] CLUSTER < SECRETS, or taloscheck -new-secrets")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "taloscheck: %v\n", err)
		os.Exit(1)
	}
}

// printNewSecrets does what `talosctl gen secrets` and topf's first run do.
func printNewSecrets() error {
	made, err := secrets.NewBundle(secrets.NewClock(), talosconfig.TalosVersionCurrent)
	if err != nil {
		return err
	}
	encoder := yaml.NewEncoder(os.Stdout)
	defer encoder.Close()
	return encoder.Encode(made)
}

func check(folder, out string) error {
	cluster, err := readCluster(folder)
	if err != nil {
		return err
	}
	if err := checkVersions(cluster); err != nil {
		return err
	}
	bundled, err := readSecrets(os.Stdin)
	if err != nil {
		return err
	}
	var faults []error
	for _, node := range cluster.Nodes {
		config, err := render(cluster, node, bundled)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", node.Host, err))
			continue
		}
		if out != "" {
			if err := write(config, filepath.Join(out, node.Host+".yaml")); err != nil {
				return err
			}
		}
		fmt.Printf("%s: %s is valid, Talos %s, Kubernetes %s\n", filepath.Join(folder, "topf.yaml"), node.Host,
			cluster.TalosVersion, cluster.KubernetesVersion)
	}
	return errors.Join(faults...)
}

// checkVersions refuses a Kubernetes version that the Talos version does not run.
func checkVersions(cluster *Cluster) error {
	talos, err := compatibility.ParseTalosVersion(&machine.VersionInfo{Tag: cluster.TalosVersion})
	if err != nil {
		return fmt.Errorf("talosVersion %q: %w", cluster.TalosVersion, err)
	}
	kubernetes, err := compatibility.ParseKubernetesVersion(strings.TrimPrefix(cluster.KubernetesVersion, "v"))
	if err != nil {
		return fmt.Errorf("kubernetesVersion %q: %w", cluster.KubernetesVersion, err)
	}
	return kubernetes.SupportedWith(talos)
}

func readSecrets(from io.Reader) (*secrets.Bundle, error) {
	decoder := yaml.NewDecoder(from)
	decoder.KnownFields(true)
	bundled := &secrets.Bundle{Clock: secrets.NewClock()}
	if err := decoder.Decode(bundled); err != nil {
		return nil, fmt.Errorf("cannot read the secrets from standard input: %w", err)
	}
	return bundled, bundled.Validate()
}

// render follows topf: the installer's image first, then all/, the role's folder and the node's, then Talos' own merge.
func render(cluster *Cluster, node Node, bundled *secrets.Bundle) (talosconfig.Provider, error) {
	schematic, err := cluster.schematic(node)
	if err != nil {
		return nil, err
	}
	image, err := configpatcher.LoadPatch([]byte("machine: {install: {image: " + cluster.installer(node, schematic) + "}}"))
	if err != nil {
		return nil, err
	}
	loaded, err := cluster.patches(node, schematic)
	if err != nil {
		return nil, err
	}
	contract, err := talosconfig.ParseContractFromVersion(cluster.TalosVersion)
	if err != nil {
		return nil, err
	}
	patches := append([]configpatcher.Patch{image}, loaded...)
	apply := bundle.WithPatchControlPlane
	if node.Role == roleWorker {
		apply = bundle.WithPatchWorker
	}
	made, err := bundle.NewBundle(
		bundle.WithInputOptions(&bundle.InputOptions{
			ClusterName: cluster.ClusterName,
			Endpoint:    cluster.ClusterEndpoint,
			KubeVersion: strings.TrimPrefix(cluster.KubernetesVersion, "v"),
			GenOptions:  []generate.Option{generate.WithSecretsBundle(bundled), generate.WithVersionContract(contract)},
		}),
		bundle.WithVerbose(false),
		apply(patches),
	)
	if err != nil {
		return nil, err
	}
	config := made.ControlPlaneCfg
	if node.Role == roleWorker {
		config = made.WorkerCfg
	}
	// Strict turns warnings, such as those of deprecated fields, into errors; what comes back is the rest of them.
	warnings, err := config.Validate(installed{}, validation.WithLocal(), validation.WithStrict())
	for _, warning := range warnings {
		err = errors.Join(err, errors.New(warning))
	}
	return config, err
}

// installed is the mode of a machine with a disk: Talos then wants to know which one.
type installed struct{}

func (installed) String() string        { return "metal" }
func (installed) RequiresInstall() bool { return true }
func (installed) InContainer() bool     { return false }

func write(config talosconfig.Provider, path string) error {
	redacted, err := config.RedactSecrets("REDACTED").EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
	if err != nil {
		return err
	}
	return os.WriteFile(path, redacted, 0o600)
}
