/** What a namespace of the cluster holds, as several rows ask. */
import { isRecord, readPath, type KubeObject } from '../kube.ts';

export function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}

export function inNamespace(objects: readonly KubeObject[], namespace: string): readonly KubeObject[] {
  return objects.filter(object => namespaceOf(object) === namespace);
}

export function isBeingDeleted({ metadata }: KubeObject): boolean {
  return typeof metadata['deletionTimestamp'] === 'string';
}

const PAUSED = 'crossplane.io/paused';

/** Crossplane neither changes nor deletes it. */
export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED] === 'true';
}

/** Names of the keys of a Secret; their values are not in a snapshot. */
export function keysOf(secret: KubeObject): readonly string[] {
  const data = readPath(secret, 'data');
  return isRecord(data) ? Object.keys(data) : [];
}

/** Objects by a name that is made of them, in the order of their first. */
export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}
