/**
 * The OpenTofu roots of phases 3 and 4, on the real OpenTofu with the true schemas of the providers (tools/schema-replay)
 * and local, encrypted state; the configuration patches on Talos' own machinery (tools/taloscheck).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { readSite, virtualMachinesOf } from '../../../infra/bootstrap/site/site.ts';
import { findTool } from '../../conformance/tools.ts';
import { BOOTSTRAP, REPOSITORY } from './site-fixture.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const site = readSite(join(BOOTSTRAP, 'site.yaml'));
const ROOTS = ['virtual-machines', 'kubernetes-os'] as const;
type Root = (typeof ROOTS)[number];
type Values = Readonly<Record<string, unknown>>;
interface Change {
  readonly address: string;
  readonly type: string;
  readonly index?: string;
  readonly change: { readonly actions: readonly string[]; readonly after: Values };
}

let folder: string;
let bundle: string;

function tool(name: string): string {
  return spawnSync(join(REPOSITORY, 'tools/path.sh'), [name], { encoding: 'utf8' }).stdout.trim();
}

function tofu(root: Root, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(findTool('opentofu'), [`-chdir=${join(folder, 'tofu', root)}`, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TF_CLI_CONFIG_FILE: join(folder, 'mirror/tofurc'),
      SCHEMA_REPLAY_WORLD: join(folder, 'world.json'),
      PROXMOX_VE_API_TOKEN: 'opentofu@pve!bootstrap=00000000-0000-0000-0000-000000000000',
      TF_VAR_state_passphrase: 'a passphrase of tests',
      TF_VAR_authorized_key: 'ssh-ed25519 AAAA test',
      TF_VAR_machine_secrets: bundle,
      TF_VAR_site_file: join(BOOTSTRAP, 'site.yaml'),
    },
  });
}

function must(root: Root, ...args: readonly string[]): string {
  const { status, stdout, stderr } = tofu(root, ...args);
  expect({ args, status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

function plan(root: Root, ...args: readonly string[]): readonly Change[] {
  must(root, 'plan', '-input=false', '-out=test.tfplan', ...args);
  return (JSON.parse(must(root, 'show', '-json', 'test.tfplan')) as { resource_changes: Change[] }).resource_changes;
}

const changed = (changes: readonly Change[]): readonly Change[] =>
  changes.filter(({ change }) => change.actions.join() !== 'no-op');

beforeAll(() => {
  folder = mkdtempSync('/tmp/bootstrap-tofu-test-');
  cpSync(join(BOOTSTRAP, 'tofu'), join(folder, 'tofu'), {
    recursive: true,
    filter: file => !file.includes('.terraform'),
  });
  const schemas = join(REPOSITORY, 'data/provider-schemas');
  const mirrored = spawnSync(
    tool('schema-replay'),
    [
      'mirror',
      join(folder, 'mirror'),
      `${join(schemas, 'bpg__proxmox.json')}=0.111.1`,
      `${join(schemas, 'siderolabs__talos.stable-v0.11.0.json')}=0.11.0`,
    ],
    { encoding: 'utf8' },
  );
  expect(mirrored).toMatchObject({ status: 0 });
  writeFileSync(join(folder, 'world.json'), '{"objects":{},"failures":{},"calls":[]}');
  bundle = spawnSync(tool('taloscheck'), ['-new-secrets'], { encoding: 'utf8' }).stdout;
  for (const root of ROOTS) {
    const backend = readFileSync(join(BOOTSTRAP, 'tofu', root, 'backend.tf'), 'utf8');
    // The address in the bucket is read as text; here the state is a file.
    expect(backend).toContain(`key       = "${site.state.prefix}/${root}/terraform.tfstate"`);
    expect(backend).toContain(`bucket    = "${site.state.bucket}"`);
    expect(backend).toContain(`endpoints = { s3 = "${site.state.endpoint}" }`);
    rmSync(join(folder, 'tofu', root, 'backend.tf'));
    must(root, 'init', '-input=false');
    must(root, 'validate');
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('is formatted', () => {
  expect(
    spawnSync(findTool('opentofu'), ['fmt', '-check', '-recursive', join(BOOTSTRAP, 'tofu')], {
      encoding: 'utf8',
      env: {},
    }),
  ).toMatchObject({ status: 0, stdout: '' });
});

describe('phase 3', () => {
  const all = JSON.stringify(virtualMachinesOf(site).map(([name]) => name));
  interface Machine extends Values {
    readonly network_device: readonly { vlan_id: number; disconnected: boolean }[];
    readonly disk: readonly { size: number; import_from: string | null }[];
  }
  const machinesOf = (changes: readonly Change[]): Readonly<Record<string, Machine>> =>
    Object.fromEntries(
      changes
        .filter(({ type }) => type === 'proxmox_virtual_environment_vm')
        .map(({ index, change }) => [index ?? '', change.after as Machine] as const),
    );

  it('creates every machine off, its cable pulled, on its own host and VLAN', () => {
    const changes = plan('virtual-machines', '-var=attached=[]');
    expect(new Set(changed(changes).map(({ change }) => change.actions.join()))).toEqual(new Set(['create']));
    const machines = machinesOf(changes);
    expect(Object.keys(machines).sort()).toEqual(
      virtualMachinesOf(site)
        .map(([name]) => name)
        .sort(),
    );
    for (const [name, wanted] of [...Object.entries(site.kubernetes.workers), ...Object.entries(site.guests)]) {
      const machine = machines[name];
      expect(machine).toMatchObject({ node_name: wanted.host, vm_id: wanted.id, started: false, protection: true });
      expect(machine?.network_device[0]).toMatchObject({ vlan_id: site.vlans[wanted.vlan]?.id, disconnected: true });
      expect(machine?.disk.map(disk => disk.size)).toEqual(wanted.disks);
    }
    must('virtual-machines', 'apply', '-input=false', 'test.tfplan');
    expect(JSON.parse(must('virtual-machines', 'output', '-json'))).toMatchObject({ attached: { value: [] } });
  });

  it('plugs them in and starts them in place, and finds nothing to do afterwards', () => {
    const changes = plan('virtual-machines', `-var=attached=${all}`);
    expect(new Set(changed(changes).map(({ change }) => change.actions.join()))).toEqual(new Set(['update']));
    for (const machine of Object.values(machinesOf(changes))) {
      expect(machine).toMatchObject({ started: true });
      expect(machine.network_device[0]).toMatchObject({ disconnected: false });
    }
    must('virtual-machines', 'apply', '-input=false', 'test.tfplan');
    expect(changed(plan('virtual-machines', `-var=attached=${all}`))).toEqual([]);
    // What steps/virtual-machines create passes on a second run is what is attached.
    const outputs = JSON.parse(must('virtual-machines', 'output', '-json')) as { attached: { value: string[] } };
    expect(changed(plan('virtual-machines', `-var=attached=${JSON.stringify(outputs.attached.value)}`))).toEqual([]);
  });

  it('refuses to destroy one, and to attach what is not there', () => {
    expect(tofu('virtual-machines', 'destroy', '-auto-approve')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('prevent_destroy') as string,
    });
    expect(tofu('virtual-machines', 'plan', '-var=attached=["attic"]').stderr).toContain('site.yaml does not name');
  });

  it('keeps state and plan unreadable', () => {
    const state = readFileSync(join(folder, 'tofu/virtual-machines/terraform.tfstate'), 'utf8');
    expect(Object.keys(JSON.parse(state) as object)).toContain('encrypted_data');
    for (const text of [state, readFileSync(join(folder, 'tofu/virtual-machines/test.tfplan'), 'latin1')])
      expect(text).not.toContain('north-worker-1');
  });
});

describe('phase 4', () => {
  it('bootstraps exactly one node, after all control planes are configured, and once', () => {
    const changes = plan('kubernetes-os');
    const bootstraps = changes.filter(({ type }) => type === 'talos_machine_bootstrap');
    expect(bootstraps.map(({ change }) => change.after['node'])).toEqual([
      site.kubernetes.control_planes[site.kubernetes.bootstrap]?.address,
    ]);
    const nodes = changes
      .filter(({ type }) => type === 'talos_machine_configuration_apply')
      .map(({ change }) => change.after['node']);
    expect(nodes.sort()).toEqual(
      [...Object.values(site.kubernetes.control_planes), ...Object.values(site.kubernetes.workers)]
        .map(node => node.address)
        .sort(),
    );
    must('kubernetes-os', 'apply', '-input=false', 'test.tfplan');
    const calls = (JSON.parse(readFileSync(join(folder, 'world.json'), 'utf8')) as { calls: string[] }).calls.map(
      call => call.split(' ')[0],
    );
    const first = calls.indexOf('talos_machine_bootstrap.create');
    expect(calls.lastIndexOf('talos_machine_configuration_apply.create')).toBeLessThan(first);
    expect(calls.filter(call => call === 'talos_machine_bootstrap.create')).toHaveLength(1);
    expect(changed(plan('kubernetes-os'))).toEqual([]);
    // Another name later is no reason to begin a second cluster.
    const other = join(folder, 'other.yaml');
    writeFileSync(other, stringify({ ...site, kubernetes: { ...site.kubernetes, bootstrap: 'north-cp-2' } }));
    const changes2 = plan('kubernetes-os', `-var=site_file=${other}`);
    expect(changed(changes2).filter(({ type }) => type === 'talos_machine_bootstrap')).toEqual([]);
  });

  it('keeps every secret out of its state, even decrypted', () => {
    const state = must('kubernetes-os', 'state', 'pull');
    const secrets = [...bundle.matchAll(/: *([A-Za-z0-9+/=.-]{23,})$/gm)].map(match => match[1] ?? '');
    expect(secrets.length).toBeGreaterThan(10);
    expect(state).toContain('talos_machine_bootstrap');
    for (const secret of secrets) expect(state.includes(secret)).toBe(false);
  });

  it('gives patches that the real machinery merges and validates', () => {
    const cluster = join(folder, 'cluster');
    mkdirSync(cluster);
    const patches = (
      JSON.parse(must('kubernetes-os', 'output', '-json')) as { patches: { value: Record<string, string[]> } }
    ).patches.value;
    const nodes = [
      ...Object.keys(site.kubernetes.control_planes).map(host => [host, 'control-plane'] as const),
      ...Object.keys(site.kubernetes.workers).map(host => [host, 'worker'] as const),
    ];
    const address = (host: string): string =>
      (site.kubernetes.control_planes[host] ?? site.kubernetes.workers[host])?.address ?? '';
    writeFileSync(
      join(cluster, 'topf.yaml'),
      stringify({
        clusterName: site.kubernetes.cluster,
        clusterEndpoint: `https://${site.kubernetes.endpoint}:6443`,
        kubernetesVersion: site.kubernetes.version,
        talosVersion: site.kubernetes.talos,
        nodes: nodes.map(([host, role]) => ({ host, role, ip: address(host) })),
      }),
    );
    // topf wants to know where its secrets are; these come through stdin.
    writeFileSync(join(cluster, 'secrets.yaml'), '');
    for (const [host] of nodes) {
      mkdirSync(join(cluster, 'node', host), { recursive: true });
      (patches[host] ?? []).forEach((patch, index) => {
        writeFileSync(join(cluster, 'node', host, `${index + 10}-patch.yaml`), patch);
      });
    }
    const judge = (): { status: number | null; stderr: string } =>
      spawnSync(tool('taloscheck'), [cluster], { encoding: 'utf8', input: bundle });
    const { status, stderr } = judge();
    expect({ status, stderr }).toMatchObject({ status: 0 });
    writeFileSync(join(cluster, 'node/north-cp-1/90-fault.yaml'), 'machine:\n  instal:\n    disk: /dev/sda\n');
    expect(judge().status).toBe(1);
  });
});
