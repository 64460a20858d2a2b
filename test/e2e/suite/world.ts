/** What exists at B2 and NetBird: the file of tools/schema-replay. And the states, in the S3 server's folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { required } from './cluster.ts';

type Objects = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function objects(type: string): Objects {
  const world = JSON.parse(readFileSync(required('E2E_WORLD'), 'utf8')) as { objects: Record<string, Objects> };
  return world.objects[type] ?? {};
}

/** name → id of the buckets that exist. */
export function realBuckets(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objects('b2_bucket')).map(([id, bucket]) => [String(bucket['bucket_name']), id]),
  );
}

/** Ids of the keys that are restricted to a bucket. */
export function realKeys(bucket: string): string[] {
  const id = realBuckets()[bucket];
  return Object.entries(objects('b2_application_key'))
    .filter(([, key]) => key['bucket_id'] === id || (key['bucket_ids'] as unknown[] | undefined)?.includes(id) === true)
    .map(([keyId]) => keyId);
}

export function realRecords(): string[] {
  return Object.values(objects('netbird_dns_record')).map(record => String(record['name']));
}

export function statePath(namespace: string, name = 'workspace'): string {
  return join(required('E2E_STATE'), namespace, name, 'terraform.tfstate');
}

export function hasState(namespace: string): boolean {
  return existsSync(statePath(namespace));
}
