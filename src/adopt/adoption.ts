/**
 * Room adopt: which buckets that exist at Backblaze a namespace may take into its state, and which not.
 * In: snapshots, the account's buckets, the Input. Out: entries of spec.adoptBuckets, or why there are none.
 * May import: errors, kube, live, claims, b2/account, api, cluster, intent, report/status.
 * Must never: name a bucket that anybody else may hold, or guess an id.
 */
import type { Input } from '../api/input.ts';
import type { AccountBucket } from '../b2/account.ts';
import type { Snapshot } from '../live/snapshot.ts';

export interface AdoptionSources {
  readonly namespace: string;
  readonly own: Snapshot;
  /** What claims buckets, in all namespaces. */
  readonly all: Snapshot;
  readonly origin: 'api' | 'all documents' | 'some documents';
  /** The labels by which Schedules count, and the hosts that are B2. */
  readonly input: Input;
  readonly account: readonly AccountBucket[];
  /** Names of buckets; empty: all that Schedules want. */
  readonly chosen: readonly string[];
}

export interface AdoptionPlan {
  /** The whole list: what stands there already, then what is new. Empty where anything is refused, or nothing is new. */
  readonly adoptBuckets: readonly { readonly bucket: string; readonly bucketId: string }[];
  /** How many of them are new. */
  readonly added: number;
  readonly refusals: readonly string[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}
