import type { BackupBucket, DnsIntent } from '../intent/intent.ts';
import { byCodeUnit, isRecord, readPath, type Json } from '../kube.ts';

/** Our fields of the XR's status, and no others. */
export const STATUS_FIELDS = [
  'selector',
  'read',
  'bucketCount',
  'recordCount',
  'buckets',
  'records',
  'observedGeneration',
] as const;

/** As many as the XRD lets a list hold; the counts say how many there are. */
const MAX_LISTED = 1000;

export interface StatusSources {
  readonly labels: Readonly<Record<string, string>>;
  readonly read: { readonly schedules: number; readonly routes: number };
  readonly buckets: readonly BackupBucket[];
  readonly dns: DnsIntent | undefined;
  readonly generation: number | undefined;
}

/** Status is memory too: the names in `buckets` keep a bucket in the module when outputs are lost. */
export function reportStatus({
  labels,
  read,
  buckets,
  dns,
  generation,
}: StatusSources): Readonly<Record<string, Json>> {
  return {
    selector: reportSelector(labels),
    read: { schedules: read.schedules, routes: read.routes },
    bucketCount: buckets.filter(({ state }) => state !== 'Released').length,
    recordCount: dns?.records.length ?? 0,
    buckets: buckets.map(bucket => ({
      name: bucket.name,
      state: bucket.state,
      ...(bucket.state === 'Wanted' ? { schedules: bucket.schedules.slice(0, MAX_LISTED) } : {}),
    })),
    records:
      dns?.records.slice(0, MAX_LISTED).map(({ name }) => ({ name, type: dns.type, content: dns.content })) ?? [],
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** `key=value` pairs, sorted, as kubectl takes them. */
export function reportSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort(byCodeUnit)
    .join(',');
}

/** Our status fields as observed; undefined where there are none. */
export function readOwnStatus(composite: unknown): Readonly<Record<string, Json>> | undefined {
  const status = readPath(composite, 'status');
  if (!isRecord(status)) return undefined;
  const own = STATUS_FIELDS.filter(field => Object.hasOwn(status, field)).map(field => [field, status[field] as Json]);
  return own.length === 0 ? undefined : (Object.fromEntries(own) as Readonly<Record<string, Json>>);
}
