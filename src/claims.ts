/**
 * Who else in the cluster speaks of a bucket: two states that own one bucket both believe that they may change it,
 * and who empties a bucket by hand empties it for everybody.
 * In: what was read of all namespaces. Out: claims by other objects, and what could not be told.
 * May import: errors, kube, live, api, cluster, intent, tofu/marker. Must never: take what it can't read for nobody.
 */
import { BUCKETS_ANNOTATION, readOutputMap, readWorkspace } from './cluster/workspace.ts';
import { isDoubtError } from './errors.ts';
import { bucketKey } from './intent/bucket-memory.ts';
import { OUTPUT, WORKSPACE_NAME } from './intent/names.ts';
import { byCodeUnit, isRecord, nameObject, readPath, type KubeObject } from './kube.ts';
import type { LiveKind, Snapshot } from './live/snapshot.ts';
import { readLayout } from './tofu/marker.ts';

export interface Claim {
  /** Key of the bucket. */
  readonly bucket: string;
  /** `Workspace demo-b/workspace`. */
  readonly by: string;
  /** Field that names it. */
  readonly where: string;
}

export interface Claims {
  /** Sorted by bucket, then by who claims it. */
  readonly claims: readonly Claim[];
  /** Objects that may hold any bucket: doubt about one of them is doubt about all buckets. */
  readonly doubts: readonly string[];
  /** Objects that nothing can be told of, and that were not written here. */
  readonly unknown: readonly string[];
}

/** The kinds that are looked at, in all namespaces. */
export const CLAIMING_KINDS = ['Workspace', 'TofuWorkspace', 'Schedule'] as const satisfies readonly LiveKind[];

/**
 * Finds what others claim.
 * @param namespace whose own Workspace, TofuWorkspace and Schedules do not count
 * @param keys      of the buckets that are asked about
 */
export function findClaims(all: Snapshot, namespace: string, keys: ReadonlySet<string>): Claims {
  const objects = (kind: LiveKind): readonly KubeObject[] =>
    all[kind].kind === 'objects' ? all[kind].objects.filter(object => !isOwn(object, namespace)) : [];
  const workspaces = objects('Workspace').map(readClaimingWorkspace);
  const claims = [
    ...workspaces.flatMap(({ claims }) => claims),
    ...workspaces.flatMap(({ object, text }) => findInText(object, text, keys)),
    ...objects('TofuWorkspace').flatMap(readSpokenOf),
    ...objects('Schedule').flatMap(object => findBuckets(object, readPath(object, 'spec'), 'spec')),
  ].filter(({ bucket }) => keys.has(bucket));
  return {
    claims: claims.sort((a, b) => byCodeUnit(`${a.bucket} ${a.by} ${a.where}`, `${b.bucket} ${b.by} ${b.where}`)),
    doubts: workspaces.flatMap(({ doubt }) => (doubt === undefined ? [] : [doubt])).sort(byCodeUnit),
    unknown: workspaces.flatMap(({ unknown }) => (unknown === undefined ? [] : [unknown])).sort(byCodeUnit),
  };
}

function isOwn({ kind, metadata }: KubeObject, namespace: string): boolean {
  return metadata.namespace === namespace && (kind === 'Schedule' || metadata.name === WORKSPACE_NAME);
}

interface ClaimingWorkspace {
  readonly object: KubeObject;
  readonly claims: readonly Claim[];
  /** Text of a module that was not written here; empty for one of ours, whose annotation says the same. */
  readonly text: string;
  readonly doubt?: string;
  readonly unknown?: string;
}

function readClaimingWorkspace(object: KubeObject): ClaimingWorkspace {
  const { module = '', annotated } = readWorkspace(object);
  const isOurs = readLayout(module) !== undefined;
  const told = { object, text: isOurs ? '' : module };
  const claim = (where: string, names: readonly string[] = []): readonly Claim[] =>
    names.map(name => ({ bucket: bucketKey(name), by: nameObject(object), where }));
  const spoken = claim(`metadata.annotations[${BUCKETS_ANNOTATION}]`, annotated && [...annotated.keys()]);
  try {
    const outputs = readOutputMap(object, OUTPUT.buckets);
    const listed = claim(`status.atProvider.outputs.${OUTPUT.buckets}`, outputs && [...outputs.keys()]);
    const claims = [...listed, ...spoken];
    if (outputs !== undefined || annotated !== undefined) return { ...told, claims };
    return { ...told, claims, ...describeSilence(object, module, isOurs) };
  } catch (error) {
    if (!isDoubtError(error)) throw error;
    return { ...told, claims: spoken, doubt: error.message };
  }
}

/** A Workspace that says nothing about buckets; of another writer's inline module the text was looked at. */
function describeSilence(
  object: KubeObject,
  module: string,
  isOurs: boolean,
): Pick<ClaimingWorkspace, 'doubt' | 'unknown'> {
  if (isOurs) return { doubt: `${nameObject(object)} has neither outputs nor the annotation about its buckets` };
  return module === '' ? { unknown: `${nameObject(object)} (its module is not inline HCL)` } : {};
}

/** A module of others may hold the bucket where its name stands anywhere in the text. */
function findInText(object: KubeObject, text: string, keys: ReadonlySet<string>): readonly Claim[] {
  const lower = text.toLowerCase();
  return [...keys]
    .filter(key => lower.includes(key))
    .map(bucket => ({ bucket, by: nameObject(object), where: 'spec.forProvider.module' }));
}

function readSpokenOf(object: KubeObject): readonly Claim[] {
  const entries = (...path: string[]): readonly unknown[] => {
    const list = readPath(object, ...path);
    return Array.isArray(list) ? (list as readonly unknown[]) : [];
  };
  const claim = (where: string, name: unknown): readonly Claim[] =>
    typeof name === 'string' ? [{ bucket: bucketKey(name), by: nameObject(object), where }] : [];
  return [
    ...entries('spec', 'adoptBuckets').flatMap(entry => claim('spec.adoptBuckets', readPath(entry, 'bucket'))),
    ...entries('status', 'buckets')
      .filter(entry => readPath(entry, 'state') !== 'Released')
      .flatMap(entry => claim('status.buckets', readPath(entry, 'name'))),
  ];
}

/** Every field `bucket` at any depth, whatever the storage: a name at another store is seen, not lost. */
function findBuckets(schedule: KubeObject, value: unknown, path: string): Claim[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    key === 'bucket' && typeof entry === 'string'
      ? [{ bucket: bucketKey(entry), by: nameObject(schedule), where: `${path}.${key}` }]
      : findBuckets(schedule, entry, `${path}.${key}`),
  );
}
