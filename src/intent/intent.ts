/**
 * Room intent: what the namespace wants, as plain sorted values.
 * In: parsed Input, XR, Schedules, routes and what is remembered. Out: Intent.
 * May import: errors, kube, template, api, cluster. Must never: know HCL or Kubernetes objects to compose.
 */
import type { ExtraData } from '../extra-module/data.ts';

/** Where OpenTofu keeps the state of this Workspace. A change of any part is another, empty state (hazard 6). */
export interface StateBackend {
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
  readonly key: string;
  /** The namespace: field report 8. */
  readonly workspaceKeyPrefix: string;
  readonly workspace: string;
  readonly lockfile: boolean;
}

export interface StateEncryption {
  /** Label of the pbkdf2 key provider; renaming it makes state unreadable. */
  readonly keyProviderName: string;
  /** A previous passphrase is at hand (variable fed by the Workspace), so old state stays readable while rotating. */
  readonly rotating: boolean;
  /** State may still be plain text: read it, write it encrypted, and do not enforce yet. */
  readonly adoptUnencrypted: boolean;
}

interface Bucket {
  /** Key in the module's maps: the lower-case name. Part of resource addresses. */
  readonly key: string;
  /** The name as B2 knows it; B2 compares names without case. */
  readonly name: string;
}

/** A Schedule backs up to it: bucket, key and credentials Secret. */
export interface WantedBucket extends Bucket {
  readonly state: 'Wanted';
  /** Names of the Schedules, sorted. */
  readonly schedules: readonly string[];
  readonly applicationKeyName: string;
  readonly secretName: string;
}

/** Known, wanted by no Schedule, kept in the module without a key. */
export interface RetainedBucket extends Bucket {
  readonly state: 'Retained';
}

/** Given up by a human, still in state: forgotten by the next apply, never destroyed. */
export interface ReleasingBucket extends Bucket {
  readonly state: 'Releasing';
}

/** Given up and out of state. */
export interface ReleasedBucket extends Bucket {
  readonly state: 'Released';
}

export type BackupBucket = WantedBucket | RetainedBucket | ReleasingBucket | ReleasedBucket;

/** A bucket that exists at B2 and is to be imported. */
export interface Adoption {
  readonly key: string;
  readonly bucketId: string;
}

/** One step of a resource address: `module.x`, `b2_bucket.b0`, `["k"]`, `[0]`. */
export type AddressStep =
  { readonly kind: 'name'; readonly name: string } | { readonly kind: 'index'; readonly index: string | number };

/** A resource of an older module that is one of ours now. */
export interface Move {
  readonly from: readonly AddressStep[];
  readonly resource: 'b2_bucket' | 'b2_application_key';
  /** Key of the bucket it becomes. */
  readonly key: string;
}

export interface DnsRecord {
  /** Full lower-case name without a final dot. */
  readonly name: string;
  /** The configured zone it lies in. */
  readonly zone: string;
}

/** Records, or the empty set: with DNS on the provider is in every module (field report 20). */
export interface DnsIntent {
  /** Zones that have records, sorted. */
  readonly zones: readonly string[];
  /** Sorted by name. */
  readonly records: readonly DnsRecord[];
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly content: string;
  /** Seconds. */
  readonly ttl: number;
  /** undefined: NetBird's own cloud. */
  readonly managementUrl: string | undefined;
}

export interface ProviderPin {
  readonly source: string;
  readonly version: string;
}

/** What the Input adds to every module beyond buckets and records. */
export interface ExtraIntent {
  /** In the order of the Input: their text is appended in it. */
  readonly modules: readonly { readonly name: string; readonly template: string }[];
  /** Sorted by name. */
  readonly providers: readonly (ProviderPin & { readonly name: string })[];
  /** What the templates may read. */
  readonly data: ExtraData;
}

export interface Intent {
  readonly namespace: string;
  readonly name: string;
  readonly state: StateBackend;
  readonly encryption: StateEncryption;
  /** Sorted by key, one per key. */
  readonly buckets: readonly BackupBucket[];
  /**
   * Names the release that the Releasing buckets belong to: the TofuWorkspace's metadata.generation, since a
   * bucket that was released, taken back and is released once more went through two changes of its spec.
   */
  readonly release: string;
  /** Literal prevent_destroy of the bucket block. */
  readonly protectBuckets: boolean;
  /** Sorted by key. */
  readonly adoptions: readonly Adoption[];
  /** Sorted. */
  readonly moves: readonly Move[];
  /** Sorted. */
  readonly keyCapabilities: readonly string[];
  /** Days; rules are set when a bucket is created and never changed afterwards (hazard 7). */
  readonly daysFromHidingToDeleting: number;
  /** undefined: no NetBird at all. */
  readonly dns: DnsIntent | undefined;
  readonly providers: { readonly b2: ProviderPin; readonly netbird: ProviderPin };
  readonly extra: ExtraIntent;
}
