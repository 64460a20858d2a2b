import { TEMPLATE_NAMES, type Input } from '../api/input.ts';
import { checkKeyName } from '../api/key-name.ts';
import { checkSecretName } from '../api/kubernetes-names.ts';
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import type { B2Backend, Schedule } from '../cluster/schedule.ts';
import { DoubtError, FieldError, quoteShort } from '../errors.ts';
import { byCodeUnit } from '../kube.ts';
import { parseTemplate, renderTemplate } from '../template.ts';
import { bucketKey, type BucketMemory } from './bucket-memory.ts';
import type { Adoption, BackupBucket, Move, WantedBucket } from './intent.ts';
import { RESOURCE } from './names.ts';

/** A Schedule whose effective backend is Backblaze B2. */
export type B2Schedule = Schedule & { readonly backend: B2Backend };

export function isB2Schedule(schedule: Schedule): schedule is B2Schedule {
  return schedule.backend.kind === 'b2';
}

export interface BucketSources {
  readonly input: Input;
  readonly xr: TofuWorkspace;
  /** Sorted by name. */
  readonly schedules: readonly B2Schedule[];
  readonly memory: BucketMemory;
}

export interface BucketIntent {
  /** Sorted by key. */
  readonly buckets: readonly BackupBucket[];
  /** Names in spec.releaseBuckets that nothing remembers: a typo must be seen (hazard 3). */
  readonly unknownReleases: readonly string[];
  /** Names in spec.releaseBuckets that wait until OpenTofu has moved them from an older module. */
  readonly delayedReleases: readonly string[];
}

/** As many as the XRD's status.buckets holds: one more could not be remembered. */
const MAX_BUCKETS = 1000;

/**
 * Decides what becomes of every bucket that is wanted, remembered or given up.
 * @throws DoubtError   where a name is both wanted and released: every plan would fail (hazard 3)
 * @throws FieldError   where a template of the Input makes an invalid or shared name
 */
export function deriveBuckets(sources: BucketSources): BucketIntent {
  const { xr, memory } = sources;
  const wanted = groupByKey(sources.schedules);
  const releases = new Map(xr.spec.releaseBuckets.map(name => [bucketKey(name), name]));
  const remembered = new Set([...memory.names.keys(), ...memory.released]);

  const buckets = new Map<string, BackupBucket>();
  for (const [key, schedules] of wanted) {
    refuseWantedRelease(releases.get(key), schedules);
    buckets.set(key, deriveWanted(key, schedules, sources));
  }
  for (const [key, name] of memory.names)
    if (!wanted.has(key))
      buckets.set(key, { state: releases.has(key) && !memory.unmoved.has(key) ? 'Releasing' : 'Retained', key, name });
  // As long as movedFrom speaks of a bucket, status must say that it was released, or it would be remembered again.
  const spokenOf = new Map([
    ...xr.spec.movedFrom.map(({ bucket }) => [bucketKey(bucket), bucket] as const),
    ...releases,
  ]);
  for (const [key, name] of spokenOf)
    if (!buckets.has(key) && memory.released.has(key)) buckets.set(key, { state: 'Released', key, name });

  const sorted = [...buckets.values()].sort((a, b) => byCodeUnit(a.key, b.key));
  if (sorted.length > MAX_BUCKETS)
    throw new DoubtError(
      'TooManyBuckets',
      `${sorted.length} buckets in one namespace: status remembers at most ${MAX_BUCKETS}`,
    );
  refuseSharedSecrets(sorted.filter(bucket => bucket.state === 'Wanted'));
  return {
    buckets: sorted,
    delayedReleases: [...releases].flatMap(([key, name]) => (memory.unmoved.has(key) ? [name] : [])).sort(byCodeUnit),
    unknownReleases: [...releases].flatMap(([key, name]) => (remembered.has(key) ? [] : [name])).sort(byCodeUnit),
  };
}

function groupByKey(schedules: readonly B2Schedule[]): ReadonlyMap<string, readonly B2Schedule[]> {
  const groups = new Map<string, B2Schedule[]>();
  for (const schedule of schedules) {
    const key = bucketKey(schedule.backend.bucket);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [schedule]);
    else group.push(schedule);
  }
  return groups;
}

function refuseWantedRelease(released: string | undefined, schedules: readonly B2Schedule[]): void {
  if (released === undefined) return;
  const places = schedules.map(({ name, backend }) => `Schedule ${name} (${backend.path}.bucket)`).join(', ');
  throw new DoubtError(
    'WantedAndReleased',
    `bucket ${quoteShort(released)} is in spec.releaseBuckets and wanted by ${places}: take it out of one of the two`,
  );
}

function deriveWanted(
  key: string,
  schedules: readonly B2Schedule[],
  { input, xr, memory }: BucketSources,
): WantedBucket {
  const render = (text: string, path: string, check: (name: string) => string | undefined): string => {
    const name = renderTemplate(parseTemplate(text, TEMPLATE_NAMES, path), { namespace: xr.namespace, bucket: key });
    const expected = check(name);
    if (expected === undefined) return name;
    throw new FieldError(path, `a template that makes ${expected}`, {
      words: `${quoteShort(name)} for bucket ${quoteShort(key)}`,
    });
  };
  const { keyName, schedulesSecret } = input.backup;
  return {
    state: 'Wanted',
    key,
    // Of several spellings for a new bucket, the last by code unit: the one in lower case, if there is one.
    name:
      memory.names.get(key) ??
      schedules
        .map(({ backend }) => backend.bucket)
        .sort(byCodeUnit)
        .at(-1) ??
      key,
    schedules: schedules.map(({ name }) => name).sort(byCodeUnit),
    applicationKeyName: render(keyName, 'backup.keyName', checkKeyName),
    secretName: render(schedulesSecret.name, 'backup.schedulesSecret.name', checkSecretName),
  };
}

function refuseSharedSecrets(wanted: readonly WantedBucket[]): void {
  const users = new Map<string, string>();
  for (const { secretName, key } of wanted) {
    const other = users.get(secretName);
    if (other !== undefined)
      throw new FieldError('backup.schedulesSecret.name', 'a template that names one Secret per bucket', {
        words: `${quoteShort(secretName)} for ${other} and ${key}`,
      });
    users.set(secretName, key);
  }
}

/** Import blocks for the buckets that a human says exist; a released one is not imported again. */
export function deriveAdoptions(xr: TofuWorkspace): readonly Adoption[] {
  return xr.spec.adoptBuckets
    .map(({ bucket, bucketId }) => ({ key: bucketKey(bucket), bucketId }))
    .sort((a, b) => byCodeUnit(a.key, b.key));
}

/**
 * `moved` blocks for resources of an older module. An address of a bucket carries the key of the same
 * label along (go-templating's `b2_bucket.b0` has `b2_application_key.b0`), unless the key's own address
 * is listed; a key moves only to a bucket that has one.
 */
export function deriveMoves(xr: TofuWorkspace, buckets: readonly BackupBucket[]): readonly Move[] {
  const states = new Map(buckets.map(bucket => [bucket.key, bucket.state]));
  const explicit = new Set(
    xr.spec.movedFrom
      .filter(({ resource }) => resource === 'b2_application_key')
      .map(({ bucket }) => bucketKey(bucket)),
  );
  const moves = xr.spec.movedFrom.flatMap(({ address, resource, bucket }, index): Move[] => {
    if (isOwnAddress(address))
      throw new FieldError(`spec.movedFrom[${index}].address`, 'an address of an older module', {
        words: 'one of the module that is emitted now',
      });
    const key = bucketKey(bucket);
    const own: Move = { from: address, resource, key };
    if (resource === 'b2_application_key' || explicit.has(key)) return [own];
    return [own, { from: toApplicationKey(address), resource: 'b2_application_key', key }];
  });
  return moves
    .filter(({ key, resource }) => {
      const state = states.get(key);
      return resource === 'b2_bucket' ? state !== undefined && state !== 'Released' : state === 'Wanted';
    })
    .sort((a, b) => byCodeUnit(JSON.stringify(a), JSON.stringify(b)));
}

/** Addresses in our own module: OpenTofu calls a move from there redundant, and plans nothing at all. */
function isOwnAddress([type, name, index]: Move['from']): boolean {
  if (type?.kind !== 'name' || name?.kind !== 'name' || !['b2_bucket', 'b2_application_key'].includes(type.name))
    return false;
  if (name.name.startsWith(RESOURCE.releasedBucketPrefix)) return type.name === 'b2_bucket';
  return index !== undefined && name.name === (type.name === 'b2_bucket' ? RESOURCE.bucket : RESOURCE.applicationKey);
}

/** The address of the key with the bucket's label: the resource type is the name before last. */
function toApplicationKey(address: Move['from']): Move['from'] {
  const type = address.findLastIndex((step, index) => step.kind === 'name' && address[index + 1]?.kind === 'name');
  return address.with(type, { kind: 'name', name: 'b2_application_key' });
}
