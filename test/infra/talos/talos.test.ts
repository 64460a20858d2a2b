/** Both clusters through Talos' own machinery: each node's configuration is valid, and says what it is there for. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPath } from '../../../src/kube.ts';
import {
  CLUSTERS,
  readSecrets,
  readTalosFile,
  render,
  sops,
  THROW_AWAY_KEY,
  usesThrowAwayKey,
  type Document,
  type Rendered,
} from './cluster-folder.ts';

interface Topf {
  readonly clusterEndpoint: string;
  readonly talosVersion: string;
  readonly kubernetesVersion: string;
  readonly secretsPath: string;
  readonly nodes: readonly { readonly host: string; readonly role: string; readonly data?: Document }[];
}

const readTopf = (cluster: string): Topf => parse(readTalosFile(cluster, 'topf.yaml')) as Topf;

describe.each(CLUSTERS)('cluster %s', cluster => {
  const topf = readTopf(cluster);
  let secrets: string;
  let rendered: Rendered;
  beforeAll(() => {
    secrets = readSecrets(cluster);
    rendered = render(cluster, secrets);
  });

  const machine = (host: string): Document => rendered.nodes.get(host)?.[0] ?? {};
  const documents = (host: string, kind: string): readonly Document[] =>
    (rendered.nodes.get(host) ?? []).filter(document => document.kind === kind);

  it('is valid for every node, without a warning', () => {
    expect(rendered.stderr).toBe('');
    expect(rendered.status).toBe(0);
    expect([...rendered.nodes.keys()].sort()).toEqual(topf.nodes.map(({ host }) => host).sort());
  });

  it('is checked by the machinery of the version that it pins', () => {
    const goMod = readFileSync(join(import.meta.dirname, '../../../tools/taloscheck/go.mod'), 'utf8');
    expect(/talos\/pkg\/machinery (v\S+)/.exec(goMod)?.[1]).toBe(topf.talosVersion);
  });

  it('names an encrypted secrets bundle, in which no value is plain', () => {
    expect(topf.secretsPath).toBe('talsecret.sops.yaml');
    const { sops: metadata, ...values } = parse(readTalosFile(cluster, topf.secretsPath)) as Document;
    expect(metadata).toMatchObject({ age: [{ recipient: expect.stringMatching(/^age1/) as unknown }] });
    const leaves = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
    expect(leaves(values).length).toBeGreaterThan(10);
    for (const leaf of leaves(values)) expect(leaf).toMatch(/^ENC\[AES256_GCM,/);
  });

  it.runIf(usesThrowAwayKey())('is decrypted by the published key, and by no other', () => {
    const path = join(import.meta.dirname, '../../../infra/talos', cluster, 'talsecret.sops.yaml');
    expect(parse(sops(['decrypt', path], THROW_AWAY_KEY))).toHaveProperty('certs.k8s.key');
    expect(() => sops(['decrypt', path], '/dev/null')).toThrow(/data key/);
  });

  describe.each(topf.nodes)('$host', ({ host, role }) => {
    it('has the pinned versions and its own installer', () => {
      const { kubernetesVersion, talosVersion } = topf;
      expect(readPath(machine(host), 'machine', 'kubelet', 'image')).toMatch(new RegExp(`:${kubernetesVersion}$`));
      expect(readPath(machine(host), 'machine', 'install', 'image')).toMatch(
        new RegExp(`^factory\\.talos\\.dev/(nocloud|hcloud)-installer/[0-9a-f]{64}:${talosVersion}$`),
      );
    });
    it('bears its name and finds its API', () => {
      expect(documents(host, 'HostnameConfig')).toEqual([
        { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: host },
      ]);
      expect(readPath(machine(host), 'cluster', 'controlPlane', 'endpoint')).toBe(topf.clusterEndpoint);
    });
    it('leaves the network to Cilium', () => {
      expect(readPath(machine(host), 'cluster', 'network', 'cni')).toEqual({ name: 'none' });
      expect(readPath(machine(host), 'machine', 'features', 'kubePrism')).toEqual({ enabled: true, port: 7445 });
      expect(readPath(machine(host), 'machine', 'features', 'hostDNS', 'forwardKubeDNSToHost')).toBe(false);
      if (role === 'control-plane') expect(readPath(machine(host), 'cluster', 'proxy', 'disabled')).toBe(true);
    });
    it('encrypts both partitions', () => {
      expect(documents(host, 'VolumeConfig').map(({ name, encryption }) => [name, encryption])).toEqual(
        ['STATE', 'EPHEMERAL'].map(name => [name, { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] }]),
      );
    });
    it('has nameservers and time servers', () => {
      expect(documents(host, 'ResolverConfig')).toHaveLength(1);
      expect(documents(host, 'TimeSyncConfig')).toHaveLength(1);
    });
    it('keeps image layers for Spegel', () => {
      expect(readPath(machine(host), 'machine', 'files')).toEqual([
        expect.objectContaining({
          path: '/etc/cri/conf.d/20-customization.part',
          content: expect.stringContaining('discard_unpacked_layers = false') as unknown,
        }),
      ]);
    });
  });
});

describe('the iGPU', () => {
  const { nodes } = render('talos', readSecrets('talos'));
  it.each(readTopf('talos').nodes)('is at $host if topf.yaml says so', ({ host, data }) => {
    const [machine] = nodes.get(host) ?? [];
    expect(readPath(machine, 'machine', 'nodeLabels', 'kueber.eu/igpu')).toBe(
      data?.igpu === true ? 'intel-i915' : undefined,
    );
    expect(readPath(machine, 'machine', 'nodeLabels', 'topology.kubernetes.io/zone')).toBe(data?.host);
    const image = String(readPath(machine, 'machine', 'install', 'image'));
    // The ids of the two schematics: what the image factory answers for qemu-guest-agent alone is known to be ce4c9805….
    expect(image.split('/').at(-1)?.slice(0, 8)).toBe(data?.igpu === true ? 'd3dc6736' : 'ce4c9805');
  });
});

describe('a fault', () => {
  const secrets = readSecrets('talos');
  const edit = (file: string, from: string | RegExp, to: string) => (folder: string) => {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    expect(text.replace(from, to)).not.toBe(text);
    writeFileSync(path, text.replace(from, to));
  };
  it.each([
    ['a misspelt key of a patch', edit('all/00-install.yaml', 'disk:', 'dsik:'), /dsik/],
    ['a misspelt key of topf.yaml', edit('topf.yaml', 'talosVersion', 'talosVersoin'), /talosVersoin/],
    ['a misspelt document', edit('all/21-network.yaml', 'ResolverConfig', 'ResolversConfig'), /ResolversConfig/],
    ['no disk to install to', edit('all/00-install.yaml', /disk: .*/, 'disk: ""'), /install/],
    [
      'a field that Talos calls deprecated',
      (folder: string) => {
        appendFileSync(
          join(folder, 'all/21-network.yaml'),
          '---\nmachine: { network: { nameservers: [192.168.100.1] } }\n',
        );
      },
      /nameservers|ResolverConfig/,
    ],
    ['a name that a template needs', edit('topf.yaml', 'nodeSubnet', 'subnet'), /nodeSubnet/],
    ['two nodes with one address', edit('topf.yaml', '192.168.100.102', '192.168.100.101'), /another node/],
    [
      'a Kubernetes version that this Talos does not run',
      edit('topf.yaml', 'v1.35.4', 'v1.27.1'),
      /too old|not compatible/,
    ],
    [
      'no secrets',
      (folder: string) => {
        rmSync(join(folder, 'talsecret.sops.yaml'));
      },
      /secretsPath/,
    ],
    [
      'a JSON patch',
      (folder: string) => {
        writeFileSync(join(folder, 'all/90-json.yaml'), '- { op: remove, path: /machine/install }\n');
      },
      /90-json/,
    ],
  ] as const)('%s is refused', (_, change, message) => {
    const { status, stderr } = render('talos', secrets, change);
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });
});
