import type { AdoptionPlan, AdoptionSources } from './adoption.ts';
import { CLAIMING_KINDS, findClaims } from '../claims.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import type { LiveKind, Snapshot } from '../live/snapshot.ts';
import { readOwn, type Own } from './own.ts';

/** The XRD's limit. */
const MAX_ADOPTED = 100;

/** The kinds that are read of the namespace. */
export const ADOPTING_KINDS = CLAIMING_KINDS;

export function planAdoptions(sources: AdoptionSources): AdoptionPlan {
  const unread = findUnread(sources);
  if (unread.length > 0) return refuse(unread, []);
  const own = readOwn(sources);
  if (own.refusals.length > 0) return refuse(own.refusals, own.notes);
  const chosen = new Set(sources.chosen.map(bucketKey));
  const verdicts = own.wanted
    .filter(([key]) => chosen.size === 0 || chosen.has(key))
    .map(([key, name]) => judge(key, name, { sources, own }));
  const notes = [...own.notes, ...verdicts.flatMap(verdict => (verdict.kind === 'skip' ? [verdict.why] : []))];
  const before = own.xr?.spec.adoptBuckets ?? [];
  const added = verdicts.flatMap(verdict => (verdict.kind === 'adopt' ? [verdict.entry] : []));
  const refusals = [
    ...refuseUnwanted(own, sources.chosen),
    ...refuseClaimed(sources, new Set(added.map(({ bucket }) => bucketKey(bucket)))),
    ...verdicts.flatMap(verdict => (verdict.kind === 'refuse' ? [verdict.why] : [])),
    ...(before.length + added.length > MAX_ADOPTED
      ? [`spec.adoptBuckets holds at most ${MAX_ADOPTED}: choose some by --bucket`]
      : []),
  ];
  if (refusals.length > 0) return refuse(refusals, notes);
  return { adoptBuckets: added.length === 0 ? [] : [...before, ...added], added: added.length, refusals, notes };
}

function refuse(refusals: readonly string[], notes: readonly string[]): AdoptionPlan {
  return { adoptBuckets: [], added: 0, refusals, notes };
}

function findUnread({ own, all, namespace, origin }: AdoptionSources): readonly string[] {
  const say = (snapshot: Snapshot, kind: LiveKind, where: string): string[] => {
    const reading = snapshot[kind];
    return reading.kind === 'unreadable' ? [`${kind} in ${where} could not be read: ${reading.reason}`] : [];
  };
  return [
    ...ADOPTING_KINDS.flatMap(kind => say(own, kind, namespace)),
    ...CLAIMING_KINDS.flatMap(kind => say(all, kind, 'all namespaces')),
    ...(origin === 'some documents'
      ? [
          'the documents may be of some namespaces only: another Workspace could hold the bucket. Say --all-namespaces ' +
            'where they hold every Workspace, TofuWorkspace and Schedule of the cluster',
        ]
      : []),
  ];
}

function refuseUnwanted({ wanted }: Own, chosen: readonly string[]): readonly string[] {
  const keys = new Set(wanted.map(([key]) => key));
  return chosen
    .filter(name => !keys.has(bucketKey(name)))
    .map(name => `${name}: no labelled Schedule of this namespace names it`);
}

/** Nobody else may hold a bucket that is adopted, nor anything of which that can't be told. */
function refuseClaimed({ all, namespace }: AdoptionSources, keys: ReadonlySet<string>): readonly string[] {
  if (keys.size === 0) return [];
  const { claims, doubts } = findClaims(all, namespace, keys);
  return [
    ...claims.map(({ bucket, by, where }) => `${bucket}: ${by} speaks of it (${where}): two states would own it`),
    ...doubts.map(doubt => `another Workspace may hold any bucket: ${doubt}`),
  ];
}

type Verdict =
  | { readonly kind: 'adopt'; readonly entry: { readonly bucket: string; readonly bucketId: string } }
  | { readonly kind: 'skip'; readonly why: string }
  | { readonly kind: 'refuse'; readonly why: string };

interface Judged {
  readonly sources: AdoptionSources;
  readonly own: Own;
}

function judge(key: string, name: string, { sources, own: { xr, listed } }: Judged): Verdict {
  const has = (names: readonly string[] | undefined): boolean =>
    names?.some(other => bucketKey(other) === key) === true;
  if (listed.has(key)) return { kind: 'skip', why: `${name}: this namespace's Workspace has it already` };
  if (has(xr?.spec.movedFrom.map(({ bucket }) => bucket)))
    return { kind: 'skip', why: `${name}: spec.movedFrom takes it over from the older module` };
  if (has(xr?.spec.releaseBuckets))
    return { kind: 'refuse', why: `${name}: it is in spec.releaseBuckets too: take it out there first` };
  const [found, ...more] = sources.account.filter(bucket => bucketKey(bucket.name) === key);
  if (found === undefined)
    return {
      kind: 'skip',
      why: `${name}: the account has no such bucket; OpenTofu makes it, or it is another account's`,
    };
  if (more.length > 0) return { kind: 'refuse', why: `${name}: the account lists it more than once` };
  const before = xr?.spec.adoptBuckets.find(({ bucket }) => bucketKey(bucket) === key);
  if (before === undefined) return { kind: 'adopt', entry: { bucket: found.name, bucketId: found.id } };
  if (before.bucketId === found.id && before.bucket === found.name)
    return { kind: 'skip', why: `${name}: it is in spec.adoptBuckets already, as Backblaze shows it` };
  return {
    kind: 'refuse',
    why: `${name}: spec.adoptBuckets has ${before.bucket} with id ${before.bucketId}, and Backblaze shows ${found.name} with ${found.id}`,
  };
}
