/**
 * What is remembered about buckets, from every place that remembers: OpenTofu's outputs, the
 * Workspace's own annotation, the XR's status, and what the XR's spec says about existing buckets.
 */
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import { readOutputMap, type ObservedWorkspace } from '../cluster/workspace.ts';
import { OUTPUT } from './names.ts';

/** What the observed Workspace, written by us, tells about buckets. */
export interface WorkspaceMemory {
  /** Names in OpenTofu's output; undefined where there is no output yet, or it was lost. */
  readonly outputs: ReadonlySet<string> | undefined;
  /** Name → state as its module was written with; undefined where that was lost. */
  readonly annotated: ReadonlyMap<string, string> | undefined;
  /** OpenTofu applied that module without error. A provider that names no generation may speak of an older one. */
  readonly synced: boolean;
  /** Keys of buckets that the module which is there forgets, once the outputs tell that it was applied. */
  readonly forgotten: ReadonlySet<string>;
}

export interface BucketMemory {
  /** Key → name as B2 knows it, for every bucket that may be in state or at B2. */
  readonly names: ReadonlyMap<string, string>;
  /** Keys that are out of state by evidence: their release was applied. */
  readonly released: ReadonlySet<string>;
  /**
   * Keys of buckets that an older module brought along and OpenTofu has not moved yet. The guard is not
   * in state either, so a destroy in the middle of a release would not be refused: none begins (hazard 3).
   */
  readonly unmoved: ReadonlySet<string>;
  /**
   * OpenTofu's outputs, with what we wrote since, name every bucket that the state can hold. Not so before
   * the first apply: a new Workspace may meet the state of one that was lost.
   */
  readonly proven: boolean;
  /** A Workspace of ours exists, and nothing says which buckets its state holds, or not for certain. */
  readonly lost: boolean;
}

/** Keys are lower-case: B2 compares bucket names without case. */
export function bucketKey(name: string): string {
  return name.toLowerCase();
}

/**
 * Reads what a Workspace of ours remembers.
 * @throws DoubtError where its outputs are there and are not what a module of ours writes
 */
export function readWorkspaceMemory(workspace: ObservedWorkspace): WorkspaceMemory {
  const outputs = readOutputMap(workspace.object, OUTPUT.buckets);
  const { annotated, synced } = workspace;
  return { outputs: outputs && new Set(outputs.keys()), annotated, synced, forgotten: readForgotten(workspace) };
}

/**
 * Buckets that left the state: the outputs come from the very module that forgets them. Synced alone may speak
 * of the module before, and outputs of an earlier release name that one.
 */
function readForgotten({ object, annotated, release, synced }: ObservedWorkspace): ReadonlySet<string> {
  const applied = readOutputMap(object, OUTPUT.releases) ?? new Map<string, string>();
  if (!synced || release === undefined) return new Set();
  const forgotten = new Set([...applied].flatMap(([name, of]) => (of === release ? [bucketKey(name)] : [])));
  const releasing = [...(annotated ?? [])].flatMap(([name, state]) => (state === 'Releasing' ? [bucketKey(name)] : []));
  return new Set(releasing.filter(key => forgotten.has(key)));
}

/**
 * Puts the memories together. Spelling comes from the most trusted one: what a human adopts by id,
 * what OpenTofu has in state, what we wrote, what status says; a bucket's spelling must not follow a
 * Schedule's, because `bucket_name` forces replacement.
 *
 * @param workspace undefined where no Workspace of ours is observed
 */
export function deriveBucketMemory(xr: TofuWorkspace, workspace: WorkspaceMemory | undefined): BucketMemory {
  const released = deriveReleased(xr, workspace);
  const names = new Map<string, string>();
  const remember = (all: Iterable<string>): void => {
    for (const name of all) {
      const key = bucketKey(name);
      if (!names.has(key) && !released.has(key)) names.set(key, name);
    }
  };
  remember(xr.spec.adoptBuckets.map(adoption => adoption.bucket));
  remember(workspace?.outputs ?? []);
  remember(workspace?.annotated?.keys() ?? []);
  remember(xr.status.buckets.filter(bucket => bucket.state !== 'Released').map(bucket => bucket.name));
  // What was moved and applied is in the outputs; what is not, was released since and must not come back.
  const unmoved = xr.spec.movedFrom.map(move => move.bucket).filter(name => isUnmoved(bucketKey(name), workspace));
  remember(unmoved);
  const begun = deriveBegun(xr, workspace);
  return {
    names,
    released,
    unmoved: new Set(unmoved.map(bucketKey).filter(key => !begun.has(key))),
    proven: workspace?.outputs !== undefined && (workspace.synced || workspace.annotated !== undefined),
    lost: workspace !== undefined && workspace.annotated === undefined && !hasProof(workspace),
  };
}

/**
 * A move counts until OpenTofu has applied it. One that our own module does not speak of came too late: the
 * older module's resource is long gone, and remembering the name would make a new bucket.
 */
function isUnmoved(key: string, workspace: WorkspaceMemory | undefined): boolean {
  if (workspace === undefined) return true;
  if (hasProof(workspace)) return false;
  // Nothing of ours was applied yet: an entry that is added now is still in time.
  if (workspace.outputs === undefined || workspace.annotated === undefined) return true;
  return [...workspace.annotated.keys()].some(name => bucketKey(name) === key);
}

/** Keys whose release was emitted before: it goes on, or what was moved out would be moved back in. */
function deriveBegun(xr: TofuWorkspace, workspace: WorkspaceMemory | undefined): ReadonlySet<string> {
  const states = [
    ...(workspace?.annotated ?? []),
    ...xr.status.buckets.map(({ name, state }) => [name, state] as const),
  ];
  return new Set(states.flatMap(([name, state]) => (state === 'Releasing' ? [bucketKey(name)] : [])));
}

/** Outputs are older than the state where an apply failed half-way: only those of a Synced Workspace are complete. */
function hasProof({ outputs, synced }: WorkspaceMemory): boolean {
  return synced && outputs !== undefined;
}

/**
 * A bucket is released once OpenTofu says so: the outputs come from the module that forgets it, and no longer
 * list it. Status alone would not do: it is written before anything is applied.
 */
function deriveReleased(xr: TofuWorkspace, workspace: WorkspaceMemory | undefined): ReadonlySet<string> {
  const outputs = workspace?.outputs && new Set([...workspace.outputs].map(bucketKey));
  const annotated = new Set([...(workspace?.annotated?.keys() ?? [])].map(bucketKey));
  const forgotten = outputs === undefined ? [] : (workspace?.forgotten ?? []);
  // Long since released: status says so, and the module does not speak of it any more.
  const settled = xr.status.buckets.flatMap(({ name, state }) => (state === 'Released' ? [bucketKey(name)] : []));
  const adopted = new Set(xr.spec.adoptBuckets.map(({ bucket }) => bucketKey(bucket)));
  return new Set(
    [...forgotten, ...settled.filter(key => !annotated.has(key))].filter(
      key => !adopted.has(key) && outputs?.has(key) !== true,
    ),
  );
}
