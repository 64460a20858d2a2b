/**
 * Where two trees agree by convention only: each pair as it stands, and with a fault planted that must be found, with the
 * place of it.
 */
import { describe, expect, it } from 'vitest';
import { parseInput } from '../../../src/api/input.ts';
import { printFinding, type Finding } from '../../../src/infra/finding.ts';
import { parseInventoryGroup } from '../../../src/infra/inventory.ts';
import { parseProviderPins } from '../../../src/infra/provider-pins.ts';
import {
  compareCommissioned,
  compareLabels,
  compareNodes,
  compareProviderPins,
  compareSecrets,
  compareSelectors,
  compareStateBucket,
  type NeededSecret,
} from '../../../src/infra/seams.ts';
import { parseDeliveredSecrets, parseStoreConditions } from '../../../src/infra/secret-delivery.ts';
import { parseStateBuckets } from '../../../src/infra/state-buckets.ts';
import { parseTalosVms } from '../../../src/infra/talos-vms.ts';
import { parseTopf } from '../../../src/infra/topf.ts';
import { parseWorkspaceComponent } from '../../../src/infra/workspace-component.ts';
import { findSources, plant, readShippedInput, readSource } from './trees.ts';

const input = parseInput(readShippedInput());
const print = (findings: readonly Finding[]): string[] => findings.map(printFinding);

describe('OpenTofu and Talos: addresses of the VMs', () => {
  const vms = readSource('infra/tofu/environment/production/talos.tf');
  const topf = readSource('infra/talos/talos/topf.yaml');
  const compare = (left = vms, right = topf): string[] => print(compareNodes(parseTalosVms(left), parseTopf(right)));

  it('agree on all seven', () => {
    expect(parseTalosVms(vms).map(({ name }) => name)).toEqual([
      ...['talos-cp-01', 'talos-cp-02', 'talos-cp-04'],
      ...['talos-worker-01', 'talos-worker-02', 'talos-worker-03', 'talos-worker-04'],
    ]);
    expect(compare()).toEqual([]);
  });
  it.each([
    [
      'an address',
      '192.168.100.112\n',
      '192.168.100.12\n',
      /topf\.yaml:\d+: talos-worker-02 has address 192\.168\.100\.12, but 192\.168\.100\.112 at .*talos\.tf:\d+/,
    ],
    ['a role', /(talos-cp-04\n.*\n\s+role: )control-plane/, '$1worker', /talos-cp-04 has role worker/],
    ['a host', '{ host: proxmox-3,', '{ host: proxmox-4,', /talos-worker-03 has host proxmox-4/],
    ['an iGPU', 'host: proxmox-3, igpu: true', 'host: proxmox-3, igpu: false', /talos-worker-03 has igpu false/],
    ['a name', 'host: talos-cp-04', 'host: talos-cp-03', /talos-cp-04 is no node in topf\.yaml/],
    ['the endpoint', 'https://192.168.100.101', 'https://192.168.100.111', /clusterEndpoint is at 192\.168\.100\.111/],
  ])('%s that differs in topf.yaml is found', (_, from, to, message) => {
    expect(compare(vms, plant(topf, from, to)).join('\n')).toMatch(message);
  });
  it('an address that differs in talos.tf is found', () => {
    expect(compare(plant(vms, '"192.168.100.114/24"', '"192.168.100.115/24"'))).toHaveLength(1);
  });
});

describe('Ansible and OpenTofu: iGPUs', () => {
  const vms = readSource('infra/tofu/environment/production/talos.tf');
  const inventory = readSource('infra/ansible/inventory.yml');
  const compare = (left = vms, right = inventory): string[] =>
    print(compareCommissioned(parseTalosVms(left), parseInventoryGroup(right, 'igpu_passthrough')));

  it('are handed over on commissioned hosts only', () => {
    expect(parseTalosVms(vms).filter(({ igpu }) => igpu)).toHaveLength(4);
    expect(compare()).toEqual([]);
  });
  it('of a host that was not commissioned is found', () => {
    const broken = plant(inventory, /(igpu_passthrough:\n\s+hosts:\n(?:\s+proxmox-[12]:\n)*)\s+proxmox-3:\n/, '$1');
    expect(compare(vms, broken).join('\n')).toMatch(
      /talos\.tf:\d+: talos-worker-03 gets the iGPU of proxmox-3, which is not in the inventory's group/,
    );
  });
});

describe('OpenTofu and Crossplane: the state bucket', () => {
  const made = findSources('infra/tofu/environment/tofu', '.tf').flatMap(parseStateBuckets);
  const component = readSource('infra/k8s/components/workspace/talos/kustomization.yaml');
  const named = (source = component) => {
    const { stateBucket } = parseWorkspaceComponent(source);
    if (stateBucket === undefined) throw new Error('the component names no state bucket');
    return stateBucket;
  };

  it('that the component names is made', () => {
    expect(made.map(({ name }) => name)).toEqual(['tofu-state-558a4a64', 'crossplane-talos-workspaces-995867de']);
    expect(print(compareStateBucket(named(), made))).toEqual([]);
    expect(named().name).toBe('crossplane-talos-workspaces-995867de');
  });
  it('that the Composition names is made', () => {
    const place = { file: 'apis/tofuworkspace/composition.yaml', line: 1 };
    expect(print(compareStateBucket({ ...place, name: input.state.bucket }, made))).toEqual([]);
  });
  it('that nobody makes is found', () => {
    const broken = named(plant(component, '995867de', '995867df'));
    expect(print(compareStateBucket(broken, made))).toEqual([
      expect.stringMatching(
        /^infra\/k8s\/.*:\d+: state bucket crossplane-talos-workspaces-995867df is not made/,
      ) as unknown,
    ]);
    expect(component.text.split('\n')[broken.line - 1]).toContain('stateBucket');
  });
});

describe('app and Crossplane: labels', () => {
  const base = readSource('infra/k8s/components/workspace/base/kustomization.yaml');
  const talos = readSource('infra/k8s/components/workspace/talos/kustomization.yaml');
  const compare = (source: typeof base, kind: string): string[] => {
    const selected = kind === 'Namespace' ? input.namespaceLabels : input.selector.matchLabels;
    return print(compareLabels(parseWorkspaceComponent(source).labels, kind, selected, source.file));
  };

  it.each([
    ['Schedule', base, 'crossplane-workspace'],
    ['HTTPRoute', base, 'crossplane-workspace'],
    ['Namespace', talos, 'secrets.tofu-workspace'],
  ])('of a %s are those that the Composition selects', (kind, source, label) => {
    expect(compare(source, kind)).toEqual([]);
    const broken = compare(plant(source, new RegExp(`${label}: "true"`, 'g'), `${label}: "yes"`), kind);
    expect(broken).toEqual([
      expect.stringMatching(new RegExp(`:\\d+: ${kind}: expected label ${label}: "true", got "yes"`)),
    ]);
    const removed = plant(source, new RegExp(`kind: ${kind}\n(\\s+)metadata:`), 'kind: Other\n$1metadata:');
    expect(compare(removed, kind)).toEqual([expect.stringContaining(`nothing labels a ${kind}`)]);
  });
});

describe('Flux and Crossplane: the Secrets of a Workspace', () => {
  const delivery = readSource('infra/k8s/platform/configs/talos/external-secrets/delivery.yaml');
  const store = readSource('infra/k8s/platform/configs/talos/external-secrets/store.yaml');
  const { state, backup, dns } = input;
  const needed: readonly NeededSecret[] = [
    {
      name: state.credentialsSecretRef.name,
      keys: [state.credentialsSecretRef.accessKeyIdKey, state.credentialsSecretRef.secretAccessKeyKey],
    },
    { name: state.encryption.secretRef.name, keys: [state.encryption.secretRef.key] },
    {
      name: backup.credentialsSecretRef.name,
      keys: [backup.credentialsSecretRef.applicationKeyIdKey, backup.credentialsSecretRef.applicationKeyKey],
    },
    ...(dns === undefined ? [] : [{ name: dns.tokenSecretRef.name, keys: [dns.tokenSecretRef.key] }]),
  ];
  const compare = (source = delivery): string[] => {
    const delivered = parseDeliveredSecrets(source);
    return print([
      ...compareSecrets(delivered, needed, source.file),
      ...delivered.flatMap(secret => compareSelectors(secret, input.namespaceLabels)),
    ]);
  };

  it('are delivered, with every key, to the namespaces that the Composition calls labelled', () => {
    expect(needed).toHaveLength(4);
    expect(compare()).toEqual([]);
  });
  it.each([
    [
      'a Secret of another name',
      /name: tofu-encryption\n(\s+)creationPolicy/,
      'name: encryption\n$1creationPolicy',
      /Secret tofu-encryption is not delivered/,
    ],
    [
      'a key of another name',
      'secretKey: NB_PAT',
      'secretKey: NB_TOKEN',
      /:\d+: Secret tofu-workspace-netbird-credentials has no key NB_PAT/,
    ],
    [
      'another label',
      /secrets\.tofu-workspace: "true"/,
      'secrets.workspace: "true"',
      /selects no namespace that has only/,
    ],
  ])('%s is found', (_, from, to, message) => {
    expect(compare(plant(delivery, from, to)).join('\n')).toMatch(message);
  });
  it('may be read by those namespaces', () => {
    const compareStore = (source = store): string[] =>
      print(parseStoreConditions(source).flatMap(found => compareSelectors(found, input.namespaceLabels)));
    expect(compareStore()).toEqual([]);
    expect(compareStore(plant(store, 'secrets.tofu-workspace', 'secrets.workspace'))).toHaveLength(1);
  });
});

describe('OpenTofu and Crossplane: provider versions', () => {
  const ours = [input.providers.b2, input.providers.netbird];
  const files = findSources('infra/tofu', 'versions.tf');
  const compare = (sources = files): string[] => print(compareProviderPins(sources.flatMap(parseProviderPins), ours));

  it('are the same wherever both use a provider', () => {
    const sources = files.flatMap(parseProviderPins).map(({ source }) => source.toLowerCase());
    expect(sources.filter(source => source === 'netbirdio/netbird').length).toBeGreaterThan(1);
    expect(compare()).toEqual([]);
  });
  it('that differ are found', () => {
    const [file] = files.filter(({ text }) => text.includes('netbirdio/netbird'));
    if (file === undefined) throw new Error('no versions.tf pins netbird');
    expect(compare([plant(file, `"${input.providers.netbird.version}"`, '"0.0.9"')])).toEqual([
      expect.stringMatching(
        /versions\.tf:\d+: netbirdio\/netbird is pinned to 0\.0\.9, but the Workspaces use 0\.0\.10/,
      ),
    ]);
  });
});
