import { readWorkspace, type ObservedWorkspace } from '../cluster/workspace.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { readPath, readStrings, type KubeObject } from '../kube.ts';
import type { LiveKind, Reading, Snapshot } from '../live/snapshot.ts';

/** The kinds without which nothing can be planned; those of the namespace. */
export const NAMESPACE_KINDS = [
  'Namespace',
  'TofuWorkspace',
  'Workspace',
  'ProviderConfig',
  'ProviderConfigUsage',
  'Usage',
  'Secret',
] as const satisfies readonly LiveKind[];

/** What one namespace holds of what its teardown is about. */
export interface TeardownObjects {
  readonly namespace: KubeObject | undefined;
  readonly xr: KubeObject | undefined;
  readonly workspace: ObservedWorkspace | undefined;
  readonly providerConfig: KubeObject | undefined;
  readonly uses: readonly KubeObject[];
  readonly usages: readonly KubeObject[];
  readonly secrets: readonly KubeObject[];
  /** Workspaces and TofuWorkspaces beside the two: their destroy is part of the namespace's, and of no plan here. */
  readonly strangers: readonly KubeObject[];
}

export function findTeardownObjects(snapshot: Snapshot, namespace: string): TeardownObjects {
  const all = (kind: LiveKind): readonly KubeObject[] =>
    objectsOf(snapshot[kind]).filter(({ metadata }) => metadata.namespace === namespace);
  const named = (kind: LiveKind): KubeObject | undefined =>
    all(kind).find(({ metadata }) => metadata.name === WORKSPACE_NAME);
  const workspace = named('Workspace');
  return {
    namespace: objectsOf(snapshot.Namespace).find(({ metadata }) => metadata.name === namespace),
    xr: named('TofuWorkspace'),
    workspace: workspace && readWorkspace(workspace),
    providerConfig: named('ProviderConfig'),
    uses: all('ProviderConfigUsage'),
    usages: all('Usage'),
    secrets: all('Secret'),
    strangers: [...all('Workspace'), ...all('TofuWorkspace')].filter(
      ({ metadata }) => metadata.name !== WORKSPACE_NAME,
    ),
  };
}

function objectsOf(reading: Reading): readonly KubeObject[] {
  return reading.kind === 'objects' ? reading.objects : [];
}

export function isTerminating(object: KubeObject | undefined): boolean {
  return (
    readPath(object, 'metadata', 'deletionTimestamp') !== undefined ||
    readPath(object, 'status', 'phase') === 'Terminating'
  );
}

export function isPaused(object: KubeObject | undefined): boolean {
  return readStrings(object, 'metadata', 'annotations').get('crossplane.io/paused') === 'true';
}

export function generationOf(object: KubeObject | undefined): number | undefined {
  const generation = readPath(object, 'metadata', 'generation');
  return typeof generation === 'number' ? generation : undefined;
}
