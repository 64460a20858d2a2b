/** Secrets that an object reads, wherever its spec names them, each with the keys that are read. */
import { isRecord, readPath } from '../kube.ts';
import { groupBy } from './namespaces.ts';
import type { NeededSecret } from '../infra/seams.ts';

export function findNeededSecrets(...specs: readonly unknown[]): readonly NeededSecret[] {
  return [...groupBy(specs.flatMap(findReferences), ({ name }) => name)].map(([name, uses]) => ({
    name,
    keys: [...new Set(uses.flatMap(({ key }) => (key === '' ? [] : [key])))],
  }));
}

function findReferences(value: unknown): readonly { readonly name: string; readonly key: string }[] {
  if (Array.isArray(value)) return value.flatMap(findReferences);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([field, entry]) => {
    const [name, key] = [readPath(entry, 'name'), readPath(entry, 'key')];
    const isReference = (field === 'secretKeyRef' || field === 'secretRef') && typeof name === 'string';
    return [...(isReference ? [{ name, key: typeof key === 'string' ? key : '' }] : []), ...findReferences(entry)];
  });
}
