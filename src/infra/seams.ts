/** The seams: where two trees agree by convention, and what is found where they do not. */
import { printPlace, type Finding, type Place } from './finding.ts';
import type { InventoryHost } from './inventory.ts';
import type { ProviderPin } from './provider-pins.ts';
import type { DeliveredSecret } from './secret-delivery.ts';
import type { StateBucket } from './state-buckets.ts';
import type { TalosVm } from './talos-vms.ts';
import type { TopfCluster, TopfNode } from './topf.ts';
import type { LabelPatch } from './workspace-component.ts';

/**
 * OpenTofu ↔ Talos: every VM is a node of the same name, address, role, host and iGPU, and the other way round; the
 * endpoint is a control plane.
 */
export function compareNodes(vms: readonly TalosVm[], cluster: TopfCluster): readonly Finding[] {
  const nodes = new Map(cluster.nodes.map(node => [node.name, node]));
  const names = new Set(vms.map(({ name }) => name));
  const host = new URL(cluster.endpoint.url).hostname;
  const endpoint = vms.some(({ role, address }) => role === 'control-plane' && address === host)
    ? []
    : [at(cluster.endpoint, `clusterEndpoint is at ${host}, which is no control plane's address`)];
  return [
    ...vms.flatMap(vm => {
      const node = nodes.get(vm.name);
      return node === undefined ? [at(vm, `${vm.name} is no node in topf.yaml`)] : compareNode(vm, node);
    }),
    ...cluster.nodes.filter(({ name }) => !names.has(name)).map(node => at(node, `OpenTofu makes no VM ${node.name}`)),
    ...endpoint,
  ];
}

function compareNode(vm: TalosVm, node: TopfNode): readonly Finding[] {
  return (['address', 'role', 'host', 'igpu'] as const)
    .filter(field => vm[field] !== node[field])
    .map(field =>
      at(node, `${vm.name} has ${field} ${String(node[field])}, but ${String(vm[field])} at ${printPlace(vm)}`),
    );
}

/** Ansible ↔ OpenTofu: an iGPU is handed over only on hosts that were commissioned for it. */
export function compareCommissioned(
  vms: readonly TalosVm[],
  commissioned: readonly InventoryHost[],
): readonly Finding[] {
  const hosts = new Set(commissioned.map(({ name }) => name));
  return vms
    .filter(({ igpu, host }) => igpu && !hosts.has(host))
    .map(vm =>
      at(vm, `${vm.name} gets the iGPU of ${vm.host}, which is not in the inventory's group igpu_passthrough`),
    );
}

/** OpenTofu ↔ Crossplane: a state bucket that is named is one that is made. */
export function compareStateBucket(
  named: Place & { readonly name: string },
  made: readonly StateBucket[],
): readonly Finding[] {
  return made.some(({ name }) => name === named.name)
    ? []
    : [at(named, `state bucket ${named.name} is not made by infra/tofu/environment/tofu`)];
}

/** OpenTofu ↔ Crossplane: a provider that both use has one version. */
export function compareProviderPins(
  pins: readonly ProviderPin[],
  ours: readonly Omit<ProviderPin, keyof Place>[],
): readonly Finding[] {
  const versions = new Map(ours.map(({ source, version }) => [source.toLowerCase(), version]));
  return pins.flatMap(pin => {
    const wanted = versions.get(pin.source.toLowerCase());
    return wanted === undefined || wanted === pin.version
      ? []
      : [at(pin, `${pin.source} is pinned to ${pin.version}, but the Workspaces use ${wanted}`)];
  });
}

type Labels = Readonly<Record<string, string>>;

/** app ↔ Crossplane, Flux ↔ Crossplane: what is labelled carries every label that somebody selects by. */
export function compareLabels(
  labelled: readonly LabelPatch[],
  kind: string,
  selected: Labels,
  file: string,
): readonly Finding[] {
  const patch = labelled.find(candidate => candidate.kind === kind);
  if (patch === undefined) return [at({ file, line: 1 }, `nothing labels a ${kind}`)];
  return Object.entries(selected)
    .filter(([key, value]) => patch.labels[key] !== value)
    .map(([key, value]) =>
      at(patch, `${kind}: expected label ${key}: "${value}", got ${printLabel(patch.labels[key])}`),
    );
}

/** Flux ↔ Crossplane: a namespace that the Composition calls labelled is one that is selected. */
export function compareSelectors(
  who: Place & { readonly selectors: readonly Labels[] },
  namespaceLabels: Labels,
): readonly Finding[] {
  const matches = who.selectors.some(selector =>
    Object.entries(selector).every(([key, value]) => namespaceLabels[key] === value),
  );
  return matches ? [] : [at(who, `selects no namespace that has only ${JSON.stringify(namespaceLabels)}`)];
}

/** A Secret that a Workspace reads, with the keys in it. */
export interface NeededSecret {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Flux ↔ Crossplane: every Secret and key that a Workspace reads is delivered. */
export function compareSecrets(
  delivered: readonly DeliveredSecret[],
  needed: readonly NeededSecret[],
  file: string,
): readonly Finding[] {
  return needed.flatMap(({ name, keys }) => {
    const found = delivered.find(candidate => candidate.name === name);
    if (found === undefined) return [at({ file, line: 1 }, `Secret ${name} is not delivered`)];
    return keys.filter(key => !found.keys.includes(key)).map(key => at(found, `Secret ${name} has no key ${key}`));
  });
}

function printLabel(value: string | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function at({ file, line }: Place, message: string): Finding {
  return { file, line, message };
}
