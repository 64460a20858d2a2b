import { CLAIMING_KINDS, findClaims, type Claims } from '../claims.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import { MODULE_LAYOUT } from '../intent/names.ts';
import type { LiveKind, Reading } from '../live/snapshot.ts';
import { readLayout } from '../tofu/marker.ts';
import { listBuckets } from './buckets.ts';
import { readKnown, type Known } from './known.ts';
import { findTeardownObjects, isTerminating, NAMESPACE_KINDS, type TeardownObjects } from './objects.ts';
import type { PlannedBucket, Stage, TeardownSources } from './plan.ts';
import { readProtection, type Protection } from './protection.ts';

/** What the objects say, read once. */
export interface Situation extends Known {
  readonly sources: TeardownSources;
  readonly objects: TeardownObjects;
  readonly stage: Stage;
  /** `Schedule in all namespaces: 403: …`, for each kind that could not be read. */
  readonly unread: readonly string[];
  /** undefined where the module was not written by this version or an older one. */
  readonly protection: Protection | undefined;
  readonly buckets: readonly PlannedBucket[];
  readonly claims: Claims;
}

export function readSituation(sources: TeardownSources): Situation {
  const objects = findTeardownObjects(sources.own, sources.namespace);
  const known = readKnown(objects);
  const buckets = listBuckets(known, sources.holdsFiles);
  const read = {
    ...known,
    sources,
    objects,
    unread: findUnread(sources),
    protection: readOwnProtection(objects.workspace?.module),
    buckets,
    claims: findClaims(sources.all, sources.namespace, new Set(buckets.map(({ name }) => bucketKey(name)))),
  };
  return { ...read, stage: deriveStage(read) };
}

/** A newer layout may protect by other means than are looked at here. */
function readOwnProtection(module = ''): Protection | undefined {
  const layout = readLayout(module);
  return layout !== undefined && layout <= MODULE_LAYOUT ? readProtection(module) : undefined;
}

function findUnread({ own, all, namespace }: TeardownSources): readonly string[] {
  const say = (kind: LiveKind, reading: Reading, where: string): string[] =>
    reading.kind === 'unreadable' ? [`${kind} in ${where}: ${reading.reason}`] : [];
  return [
    ...NAMESPACE_KINDS.flatMap(kind => say(kind, own[kind], namespace)),
    ...CLAIMING_KINDS.flatMap(kind => say(kind, all[kind], 'all namespaces')),
  ];
}

type Read = Omit<Situation, 'stage'>;

function deriveStage(read: Read): Stage {
  const { namespace, xr, workspace } = read.objects;
  if (read.unread.length > 0) return 'unknown';
  if (workspace === undefined) return 'absent';
  if ([namespace, xr, workspace.object].some(isTerminating)) return 'terminating';
  if (read.buckets.length === 0 && isApplied(read)) return 'without-buckets';
  return deriveProtectedStage(read);
}

/** The outputs say what the state holds. That no bucket is known says nothing by itself: a first apply that was cut off has none. */
export function isApplied({ objects, outputs }: Read): boolean {
  return outputs !== undefined && objects.workspace?.synced === true;
}

function deriveProtectedStage({ xr, protection }: Read): Stage {
  if (xr === undefined || protection === undefined) return 'changing';
  // A module without a guard, or one that can't be read, is not one that the first commit leaves behind.
  const all = (literal: string): boolean => protection.buckets === literal && protection.guard === literal;
  if (xr.spec.retainBuckets && all('true')) return 'protected';
  return !xr.spec.retainBuckets && all('false') ? 'unprotected' : 'changing';
}
