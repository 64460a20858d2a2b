/** infra/README.md: its table names everything that the layers were asked to have, and its paths and programs are there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(ROOT, 'infra/README.md'), 'utf8');
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(match => match[1] ?? '');

/** Every constant, folder, file, label, bucket and tool of the text that infra/ was built from. */
const NAMES = [
  ...['tofu-state-558a4a64', 'crossplane-talos-workspaces-995867de', 'workspace_key_prefix', 'pbkdf2', 'aes_gcm'],
  ...['talos-cp-01', 'talos-cp-02', 'talos-cp-04', 'talos-worker-01', 'talos-worker-02', 'talos-worker-03'],
  ...['talos-worker-04', 'control-plane-1', 'factory.talos.dev', '192.168.100.101/24', 'https://192.168.100.101:6443'],
  ...['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4', 'maresa', 'homeassistant', 'localhost', 'igpu-passthrough'],
  ...['topf apply', 'talosctl bootstrap', 'talsecret.sops.yaml', 'kube-proxy', 'Cilium', 'Spegel', 'nameservers'],
  ...['crossplane-extras', 'provider-opentofu', 'DeploymentRuntimeConfig'],
  ...['TofuWorkspace', 'tofuworkspaces.platform.kueber.eu', 'retainBuckets'],
  ...['crossplane-workspace', 'secrets.tofu-workspace', 'tofu-workspace-s3-credentials', 'tofu-encryption'],
  ...['int.kueber.eu', 'prevent_destroy', 'minio', 'netbird', 'unifi', 'hcloud', 'Podman'],
  ...['cloud-init', 'quadlets', 'authorized_keys', 'Fedora', '--check --diff', 'k8up', 'HTTPRoute', 'Schedule'],
] as const;

/** What the Function does in code, where the text had a template: the table says which. */
const IN_THE_FUNCTION = ['function-go-templating', 'function-auto-ready', 'ExtraResources', 'protection.crossplane.io'];

const FOLDERS = [
  ...['tofu', 'netbird', 'production', 'edge', 'home', 'demo', 'johnny-projects'].map(
    name => `tofu/environment/${name}`,
  ),
  ...['tofu/environment/demo/quadlets', 'tofu/modules/netbird/network', 'tofu/modules/netbird/dns_record'],
  ...['ansible', 'talos/talos/all', 'talos/talos/control-plane', 'talos/talos/worker', 'talos/edge/all'],
  ...['talos/edge/control-plane', 'k8s/components/workspace/base', 'k8s/components/workspace/talos'],
  ...['k8s/platform/configs/talos/crossplane', 'k8s/platform/crossplane-extras'],
];

const FILES = [
  ...['ansible/inventory.yml', 'ansible/playbooks/proxmox_commissioning.yaml', 'ansible/playbooks/proxmox_update.yml'],
  ...['ansible/playbooks/local_software.yaml', 'talos/talos/topf.yaml', 'talos/edge/topf.yaml'],
  ...['tofu/environment/production/talos.tf', 'tofu/environment/edge/server.tf'],
];

describe('the names of the first text', () => {
  it.each(NAMES)('%s is found by grep', name => {
    const where = ['grep', '-q', '-F', '-e', name, '--', 'infra', 'apis', ':!infra/README.md', ':!infra/bootstrap'];
    expect(() => execFileSync('git', where, { cwd: ROOT })).not.toThrow();
  });
  it.each([...FOLDERS, ...FILES])('infra/%s is there', path => {
    expect(existsSync(join(ROOT, 'infra', path))).toBe(true);
  });
  it.each(IN_THE_FUNCTION)('%s has a row in the table', name => {
    expect(readme.split('\n').filter(line => line.startsWith('|') && line.includes(name))).not.toEqual([]);
  });
  it('that nobody wrote is not found', () => {
    const invented = ['a', 'name', 'that', 'nobody', 'wrote'].join('-');
    expect(() => execFileSync('git', ['grep', '-q', '-F', '-e', invented, '--', 'infra'], { cwd: ROOT })).toThrow();
  });
});

describe('README', () => {
  /** Relative to infra/ where a path does not say otherwise: the page says so by what it names. */
  const find = (path: string): boolean =>
    [join(ROOT, path), join(ROOT, 'infra', path)].some(candidate => existsSync(candidate));

  it('names paths that are there', () => {
    const paths = quoted(readme)
      .map(text => text.replace(/^\.\//, ''))
      .filter(text => /^(infra|apis|src|tofu|ansible|talos|k8s)\/[\w./-]*$/.test(text));
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter(path => !find(path))).toEqual([]);
  });

  it('has links that lead somewhere', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(match => match[1] ?? '');
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter(link => !existsSync(join(ROOT, 'infra', link)))).toEqual([]);
  });

  it('runs playbooks and Make targets that are there', () => {
    const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
    const playbooks = [...readme.matchAll(/playbooks\/([\w.]+)/g)].map(match => match[1] ?? '');
    expect(readdirSync(join(ROOT, 'infra/ansible/playbooks'))).toEqual(expect.arrayContaining([...new Set(playbooks)]));
    for (const [, target] of readme.matchAll(/`make ([\w-]+)/g)) expect(makefile).toContain(`\n${target ?? ''}:`);
  });

  it('runs tofu.sh where there is one', () => {
    const environments = [...readme.matchAll(/`(tofu\/environment\/[\w-]+)(?:\/tofu\.sh[^`]*)?`/g)];
    expect(environments.length).toBeGreaterThan(4);
    for (const [, folder] of environments)
      expect(existsSync(join(ROOT, 'infra', folder ?? '', 'tofu.sh')), folder).toBe(true);
  });
});

it('the hand-made Cilium of infra/k8s/README.md has the versions that Flux takes over', () => {
  const text = (path: string): string => readFileSync(join(ROOT, 'infra/k8s', path), 'utf8');
  const page = text('README.md');
  const chart = /version: "?([\d.]+)"?/.exec(text('platform/controllers/base/cilium/release.yaml'))?.[1];
  const gateway = /tag: (v[\d.]+)/.exec(text('platform/controllers/base/gateway-api/crds.yaml'))?.[1];
  expect(/cilium\.io --version ([\d.]+)/.exec(page)?.[1]).toBe(chart);
  expect(/gateway-api\/config\/crd\?ref=(v[\d.]+)/.exec(page)?.[1]).toBe(gateway);
});
