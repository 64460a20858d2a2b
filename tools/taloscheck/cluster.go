package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"go.yaml.in/yaml/v4"
)

const (
	roleControlPlane = "control-plane"
	roleWorker       = "worker"
	// What topf takes where topf.yaml says nothing.
	defaultFactory   = "factory.talos.dev"
	defaultPlatform  = "metal"
	defaultSchematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
)

// Cluster is topf.yaml. Unknown keys are refused, where topf ignores them.
type Cluster struct {
	ClusterName       string         `yaml:"clusterName"`
	ClusterEndpoint   string         `yaml:"clusterEndpoint"`
	KubernetesVersion string         `yaml:"kubernetesVersion"`
	TalosVersion      string         `yaml:"talosVersion"`
	SchematicID       string         `yaml:"schematicId"`
	Factory           string         `yaml:"factory"`
	Platform          string         `yaml:"platform"`
	SecureBoot        bool           `yaml:"secureboot"`
	SecretsPath       string         `yaml:"secretsPath"`
	Nodes             []Node         `yaml:"nodes"`
	Data              map[string]any `yaml:"data"`

	folder string
}

// Node is an entry of nodes in topf.yaml.
type Node struct {
	Host         string         `yaml:"host"`
	IP           *netip.Addr    `yaml:"ip"`
	Role         string         `yaml:"role"`
	Data         map[string]any `yaml:"data"`
	SchematicID  string         `yaml:"schematicId"`
	Platform     string         `yaml:"platform"`
	TalosVersion string         `yaml:"talosVersion"`
}

func readCluster(folder string) (*Cluster, error) {
	path := filepath.Join(folder, "topf.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cluster := &Cluster{folder: folder}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(cluster); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := cluster.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cluster, nil
}

func (c *Cluster) validate() error {
	endpoint, err := url.Parse(c.ClusterEndpoint)
	if err != nil {
		return err
	}
	switch {
	case c.ClusterName == "" || c.KubernetesVersion == "" || c.TalosVersion == "" || len(c.Nodes) == 0:
		return errors.New("clusterName, kubernetesVersion, talosVersion and nodes must be set")
	case endpoint.Scheme != "https" || endpoint.Port() == "":
		return fmt.Errorf("clusterEndpoint: expected an https URL with a port, got %q", c.ClusterEndpoint)
	}
	seen := map[string]bool{}
	for i, node := range c.Nodes {
		where := fmt.Sprintf("nodes[%d]", i)
		switch {
		case node.Host == "" || node.IP == nil:
			return fmt.Errorf("%s: host and ip must be set", where)
		case node.Role != roleControlPlane && node.Role != roleWorker:
			return fmt.Errorf("%s: role: expected control-plane or worker, got %q", where, node.Role)
		case seen[node.Host] || seen[node.IP.String()]:
			return fmt.Errorf("%s: host or ip of another node", where)
		}
		seen[node.Host], seen[node.IP.String()] = true, true
	}
	if _, err := os.Stat(filepath.Join(c.folder, cmp.Or(c.SecretsPath, "secrets.yaml"))); err != nil {
		return fmt.Errorf("secretsPath: %w", err)
	}
	return nil
}

// installer is the image that topf writes to machine.install.image.
func (c *Cluster) installer(node Node, schematic string) string {
	name := cmp.Or(node.Platform, c.Platform, defaultPlatform) + "-installer"
	if c.SecureBoot {
		name += "-secureboot"
	}
	version := strings.TrimPrefix(cmp.Or(node.TalosVersion, c.TalosVersion), "v")
	return fmt.Sprintf("%s/%s/%s:v%s", cmp.Or(c.Factory, defaultFactory), name, schematic, version)
}

// The parts of an image factory schematic that are used here.
type schematic struct {
	Customization struct {
		SystemExtensions struct {
			OfficialExtensions []string `yaml:"officialExtensions,omitempty"`
		} `yaml:"systemExtensions,omitempty"`
	} `yaml:"customization"`
}

// schematic returns the id. That of a file, "@NAME", is the SHA-256 of its canonical form: the factory's own rule.
func (c *Cluster) schematic(node Node) (string, error) {
	id := cmp.Or(node.SchematicID, c.SchematicID, defaultSchematic)
	name, isFile := strings.CutPrefix(id, "@")
	if !isFile {
		return id, nil
	}
	content, err := os.ReadFile(filepath.Join(c.folder, name))
	if err != nil {
		return "", err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	var parsed schematic
	if err := decoder.Decode(&parsed); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	canonical, err := yaml.Marshal(parsed)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(canonical)), nil
}

// patches loads all/, the role's folder and the node's, each in lexical order.
func (c *Cluster) patches(node Node, schematic string) ([]configpatcher.Patch, error) {
	data := map[string]any{
		"ClusterName": c.ClusterName, "ClusterEndpoint": c.ClusterEndpoint, "KubernetesVersion": c.KubernetesVersion,
		"TalosVersion": c.TalosVersion, "SchematicID": schematic, "Data": c.Data, "Node": node,
	}
	var patches []configpatcher.Patch
	for _, folder := range []string{"all", node.Role, filepath.Join("node", node.Host)} {
		paths, err := patchFiles(filepath.Join(c.folder, folder))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			loaded, err := loadPatches(path, data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			patches = append(patches, loaded...)
		}
	}
	return patches, nil
}

// topf's own pattern: without an anchor at the end, so that x.yaml.orig is a patch too.
var patchName = regexp.MustCompile(`.*\.ya?ml(\.tpl)?`)

func patchFiles(folder string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && patchName.MatchString(entry.Name()) {
			paths = append(paths, path)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return paths, err
}

func loadPatches(path string, data map[string]any) ([]configpatcher.Patch, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".tpl") {
		if content, err = fill(path, content, data); err != nil {
			return nil, err
		}
	}
	var patches []configpatcher.Patch
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return patches, nil
		} else if err != nil {
			return nil, err
		}
		if len(document) == 0 {
			continue
		}
		text, err := yaml.Marshal(document)
		if err != nil {
			return nil, err
		}
		patch, err := configpatcher.LoadPatch(text)
		if err != nil {
			return nil, err
		}
		patches = append(patches, patch)
	}
}

func fill(path string, content []byte, data map[string]any) ([]byte, error) {
	parsed, err := template.New(filepath.Base(path)).Funcs(sprig.TxtFuncMap()).Option("missingkey=error").Parse(string(content))
	if err != nil {
		return nil, err
	}
	var filled bytes.Buffer
	if err := parsed.Execute(&filled, data); err != nil {
		return nil, err
	}
	return filled.Bytes(), nil
}
