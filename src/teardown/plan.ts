/**
 * Room teardown: how one namespace is unwound, told from what is live; what stands against it; the ways there are.
 * In: snapshots, what is known of the B2 key. Out: a plan in words, the way that keeps the buckets first.
 * May import: errors, kube, live, claims, hcl/scan, api, cluster, intent, compose, tofu/marker.
 * Must never: do any of it, or take what could not be read for what is not there.
 */
import type { Snapshot } from '../live/snapshot.ts';

/** What is known of the key with which OpenTofu deletes buckets. */
export type KeyFacts =
  | { readonly kind: 'unchecked' }
  /** It was asked for, and B2 did not say. */
  | { readonly kind: 'unread'; readonly reason: string }
  | {
      readonly kind: 'checked';
      /** Who says so, as the end of "according to …". */
      readonly source: string;
      readonly capabilities: ReadonlySet<string>;
      /** Ids of buckets; undefined where the key reaches all. */
      readonly restrictedTo: ReadonlySet<string> | undefined;
    };

export interface TeardownSources {
  readonly namespace: string;
  /** What the namespace holds. */
  readonly own: Snapshot;
  /** What claims buckets, in all namespaces. */
  readonly all: Snapshot;
  /** Documents may be a part of what there is: then nothing is said about other namespaces. */
  readonly origin: 'api' | 'all documents' | 'some documents';
  readonly key: KeyFacts;
  /** Bucket id → whether it holds files, as far as B2 was asked. */
  readonly holdsFiles: ReadonlyMap<string, boolean>;
}

/** How far the teardown is. */
export type Stage =
  /** A kind could not be read: nothing is known. */
  | 'unknown'
  /** There is no Workspace in the namespace. */
  | 'absent'
  /** Its deletion was asked for already. */
  | 'terminating'
  /** The state holds no bucket: there is nothing to protect. */
  | 'without-buckets'
  /** Every destroy is refused: where each namespace is by default. */
  | 'protected'
  /** retainBuckets says one thing and the module another: not reconciled. */
  | 'changing'
  /** The first commit is made and applied: a deletion destroys. */
  | 'unprotected';

/** What a check that is not met stands against: every way, those that run a destroy, or the one that takes buckets along. */
export type Guarded = 'every way' | 'destroy' | 'buckets';

export type Verdict = 'met' | 'failed' | 'unread' | 'unchecked';

export interface Check {
  readonly name: string;
  /** What must be so. */
  readonly asks: string;
  readonly verdict: Verdict;
  readonly guards: Guarded;
  readonly evidence: readonly string[];
  /** What to do where it is not met. */
  readonly fix: string | undefined;
}

export interface PlannedBucket {
  readonly name: string;
  /** Of OpenTofu's output; undefined where it is not in there. */
  readonly id: string | undefined;
  readonly state: 'Wanted' | 'Retained' | 'Releasing' | 'Released' | 'unknown';
  readonly files: 'some' | 'none' | 'unknown';
}

/** An object that the destroy needs, and the Usage that keeps it until then. */
export interface Hold {
  /** `Secret tofu-encryption`. */
  readonly object: string;
  /** Name of the Usage; undefined where nothing holds the object. */
  readonly usage: string | undefined;
  /** What is missing for it to hold; empty where all is well. */
  readonly faults: readonly string[];
}

export type Step =
  | { readonly kind: 'commit'; readonly title: string; readonly lines: readonly string[] }
  | { readonly kind: 'run'; readonly title: string; readonly commands: readonly string[] }
  | { readonly kind: 'wait'; readonly title: string; readonly until: readonly string[] }
  | { readonly kind: 'by hand'; readonly title: string; readonly details: readonly string[] };

export interface Way {
  readonly name: 'keep-everything' | 'keep-buckets' | 'destroy-buckets' | 'without-buckets';
  readonly title: string;
  readonly outcome: string;
  readonly steps: readonly Step[];
  /** Names of the checks that stand against it: its steps are not told then. */
  readonly refusedBy: readonly string[];
}

export interface TeardownPlan {
  readonly namespace: string;
  readonly stage: Stage;
  readonly checks: readonly Check[];
  readonly buckets: readonly PlannedBucket[];
  readonly holds: readonly Hold[];
  /** What goes once the last commit is made, one after the other. */
  readonly order: readonly string[];
  /** What keeps the buckets comes first. */
  readonly ways: readonly Way[];
  /** A check is not met. */
  readonly refused: boolean;
}

/** What was not looked at is said, and stands against nothing. */
export function isAgainst({ verdict }: Check): boolean {
  return verdict === 'failed' || verdict === 'unread';
}
