import { checkBucketName } from '../api/bucket-name.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import { byCodeUnit } from '../kube.ts';
import type { Known } from './known.ts';
import type { PlannedBucket } from './plan.ts';

/**
 * Every bucket that any memory knows, sorted; what is proved to be released is none.
 * @param holdsFiles by bucket id
 */
export function listBuckets(read: Known, holdsFiles: ReadonlyMap<string, boolean>): readonly PlannedBucket[] {
  const ids = new Map([...(read.outputs ?? [])].map(([name, id]) => [bucketKey(name), id]));
  const states = new Map(read.xr?.status.buckets.map(({ name, state }) => [bucketKey(name), state]));
  return nameBuckets(read).map(([key, name]) => {
    const id = ids.get(key);
    return { name, id, state: states.get(key) ?? 'unknown', files: sayFiles(id, holdsFiles) };
  });
}

function nameBuckets({ known, outputs, memory }: Known): readonly (readonly [key: string, name: string])[] {
  const names = new Map<string, string>();
  for (const name of [
    ...(outputs?.keys() ?? []),
    ...(known?.names.values() ?? []),
    ...(memory?.annotated?.keys() ?? []),
  ])
    if (!names.has(bucketKey(name))) names.set(bucketKey(name), name);
  return (
    [...names]
      .filter(([key]) => known?.released.has(key) !== true)
      // What is no bucket's name is a fault, and must not get into a command that is told.
      .filter(([, name]) => checkBucketName(name) === undefined)
      .sort(([a], [b]) => byCodeUnit(a, b))
  );
}

function sayFiles(id: string | undefined, holdsFiles: ReadonlyMap<string, boolean>): PlannedBucket['files'] {
  const holds = id === undefined ? undefined : holdsFiles.get(id);
  if (holds === undefined) return 'unknown';
  return holds ? 'some' : 'none';
}
