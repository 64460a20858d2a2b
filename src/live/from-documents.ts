import { parseKubeObject, readPath, type KubeObject } from '../kube.ts';
import { LIVE_KIND_NAMES, LIVE_KINDS, withoutSecretValues, type Reading, type Snapshot } from './snapshot.ts';

/**
 * The snapshot that documents hold, as `kubectl get KINDS -A -o yaml` prints them: objects, or Lists of objects. A kind
 * of which there is no document counts as read and empty: what was left out cannot be told from what is not there.
 * @throws FieldError where a document is no Kubernetes object
 */
export function snapshotFromDocuments(documents: readonly unknown[]): Snapshot {
  const objects = documents.flatMap(unpackList).map(parseKubeObject);
  const read = (kind: string, apiVersion: string): readonly KubeObject[] =>
    objects.filter(object => object.kind === kind && object.apiVersion === apiVersion).map(withoutSecretValues);
  return Object.fromEntries(
    LIVE_KIND_NAMES.map(kind => [kind, { kind: 'objects', objects: read(kind, LIVE_KINDS[kind]) } satisfies Reading]),
  ) as unknown as Snapshot;
}

/** What a List holds; any other document alone. */
export function unpackList(document: unknown): readonly unknown[] {
  const items = readPath(document, 'items');
  const kind = readPath(document, 'kind');
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [document];
}
