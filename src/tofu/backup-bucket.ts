/** Buckets and their keys: one block each with for_each, so that a bucket's absence never loses the protection. */
import type { BlockNode, BodyItem, Expression, Reference } from '../hcl/ast.ts';
import {
  attr,
  attribute,
  comment,
  commented,
  forEntries,
  forValues,
  index,
  map,
  number,
  reference,
  string,
  strings,
} from '../hcl/build.ts';
import type { BackupBucket, Intent, ReleasingBucket, RetainedBucket, WantedBucket } from '../intent/intent.ts';
import { OUTPUT, RESOURCE } from '../intent/names.ts';
import { output, sensitiveOutput } from './output.ts';
import { addressReference, forgetBlock, importBlock, movedBlock } from './refactoring.ts';
import { EACH_KEY, EACH_VALUE, instances, resource } from './typed-block.ts';

type StringMap = ReadonlyMap<string, string>;

const BUCKETS = instances('b2_bucket', RESOURCE.bucket);
const KEYS = instances('b2_application_key', RESOURCE.applicationKey);

const LOCAL_BUCKETS = 'buckets';
const LOCAL_KEYS = 'application_keys';

/** `locals` entries: bucket and key names by key. */
export function buildBucketLocals(intent: Intent): readonly BodyItem[] {
  const held = intent.buckets.filter(isHeld);
  const wanted = intent.buckets.filter(isWanted);
  return [
    attr(LOCAL_BUCKETS, texts(held.map(bucket => [bucket.key, bucket.name]))),
    attr(LOCAL_KEYS, texts(wanted.map(bucket => [bucket.key, bucket.applicationKeyName]))),
  ];
}

/** The bucket, key and guard blocks. The first two are there even where there is no bucket. */
export function buildBuckets(intent: Intent): readonly BlockNode[] {
  const buckets = resource('b2_bucket', RESOURCE.bucket, {
    forEach: reference<StringMap>('local', LOCAL_BUCKETS),
    arguments: { bucket_name: EACH_VALUE, bucket_type: string('allPrivate') },
    blocks: {
      lifecycle_rules: [
        {
          arguments: {
            file_name_prefix: string(''),
            days_from_hiding_to_deleting: number(intent.daysFromHidingToDeleting),
          },
        },
      ],
    },
    lifecycle: {
      preventDestroy: intent.protectBuckets,
      // An adopted bucket keeps its own settings: rewriting its rules would delete the versions it
      // kept (hazard 7). So ours count only when a bucket is created.
      ignoreChanges: [
        'bucket_info',
        'bucket_type',
        'cors_rules',
        'default_server_side_encryption',
        'file_lock_configuration',
        'lifecycle_rules',
      ],
    },
  });
  const keys = resource('b2_application_key', RESOURCE.applicationKey, {
    forEach: reference<StringMap>('local', LOCAL_KEYS),
    arguments: {
      key_name: EACH_VALUE,
      // bucket_ids would make a multi-bucket key, which older clients refuse (field report 10).
      bucket_id: attribute(index(BUCKETS, EACH_KEY), 'bucket_id'),
      capabilities: strings(intent.keyCapabilities),
    },
    // Every argument replaces the key: the new one must work before the old one goes (hazard 12).
    lifecycle: { createBeforeDestroy: true },
  });
  return [buckets, keys, ...buildGuard(intent)];
}

/**
 * A sentinel that makes `tofu destroy` fail while a bucket is in state without its protecting block:
 * destroy ignores `removed` (hazard 3). Left out once no bucket is left, so that teardown works.
 */
function buildGuard(intent: Intent): readonly BlockNode[] {
  const { buckets, protectBuckets } = intent;
  if (!buckets.some(bucket => isHeld(bucket) || isReleasing(bucket))) return [];
  const preventDestroy = protectBuckets || buckets.some(isReleasing);
  return [resource('terraform_data', RESOURCE.guard, { arguments: {}, lifecycle: { preventDestroy } })];
}

/** Imports, moves and releases: how buckets that exist come in, change their address and leave. */
export function buildBucketRefactorings(intent: Intent): readonly BodyItem[] {
  const held = intent.buckets.filter(isHeld);
  const heldKeys = new Set(held.map(bucket => bucket.key));
  // Without its target in for_each an import fails the whole plan.
  const adoptions = intent.adoptions.filter(adoption => heldKeys.has(adoption.key));
  const adopted = new Set(adoptions.map(adoption => adoption.key));
  return [
    ...adoptions.map(adoption => importBlock(bucketAddress(adoption.key), adoption.bucketId)),
    ...buildImportExamples(held.filter(bucket => !adopted.has(bucket.key))),
    ...intent.moves.map(move =>
      movedBlock(addressReference(move.from), index(instances(move.resource, RESOURCE_NAME[move.resource]), move.key)),
    ),
    ...intent.buckets.filter(isReleasing).flatMap(({ key }) => {
      const released = reference('b2_bucket', `${RESOURCE.releasedBucketPrefix}${key}`);
      return [movedBlock(bucketAddress(key), released), forgetBlock(released)];
    }),
  ];
}

function buildImportExamples(buckets: readonly (WantedBucket | RetainedBucket)[]): readonly BodyItem[] {
  if (buckets.length === 0) return [];
  return [
    comment(
      'A bucket that exists at B2 already is imported by its bucket id: add it to spec.adoptBuckets, which emits the\n' +
        'block below with the id filled in. A bucket that this module created needs nothing.',
    ),
    ...buckets.map(({ key, name }) => commented([importBlock(bucketAddress(key), `<bucket id of ${name}>`)])),
  ];
}

/**
 * `buckets` is what the function remembers from, `releases` is its evidence that a bucket is out of state;
 * the two about keys feed the credentials Secrets.
 */
export function buildBucketOutputs({ buckets, release }: Intent): readonly BlockNode[] {
  const releases = buckets.filter(isReleasing).map(({ name }) => [name, release] as const);
  return [
    output(
      OUTPUT.buckets,
      forValues('bucket', BUCKETS, bucket => ({
        key: attribute(bucket, 'bucket_name'),
        value: attribute(bucket, 'bucket_id'),
      })),
    ),
    ...(releases.length === 0 ? [] : [output(OUTPUT.releases, texts(releases))]),
    sensitiveOutput(
      OUTPUT.applicationKeyIds,
      forEntries(['key', 'value'], KEYS, (key, value) => ({ key, value: attribute(value, 'application_key_id') })),
    ),
    sensitiveOutput(
      OUTPUT.applicationKeys,
      forEntries(['key', 'value'], KEYS, (key, value) => ({ key, value: attribute(value, 'application_key') })),
    ),
  ];
}

const RESOURCE_NAME = { b2_bucket: RESOURCE.bucket, b2_application_key: RESOURCE.applicationKey } as const;

function bucketAddress(key: string): Reference {
  return index(BUCKETS, key);
}

function texts(entries: readonly (readonly [string, string])[]): Expression<StringMap> {
  return map(entries.map(([key, value]) => [key, string(value)] as const));
}

function isWanted(bucket: BackupBucket): bucket is WantedBucket {
  return bucket.state === 'Wanted';
}

function isHeld(bucket: BackupBucket): bucket is WantedBucket | RetainedBucket {
  return bucket.state === 'Wanted' || bucket.state === 'Retained';
}

function isReleasing(bucket: BackupBucket): bucket is ReleasingBucket {
  return bucket.state === 'Releasing';
}
