/** The cluster that a command was told to look at: an API server, or objects in files. */
import { existsSync } from 'node:fs';
import { isFieldError } from '../errors.ts';
import { readPath } from '../kube.ts';
import { snapshotFromDocuments, unpackList } from '../live/from-documents.ts';
import { LIVE_KIND_NAMES, LIVE_KINDS, type Reading, type Snapshot } from '../live/snapshot.ts';
import { readDocuments } from './documents.ts';
import { UsageError } from './usage-error.ts';

export interface ClusterFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly objects?: string | undefined;
  readonly namespace?: string | undefined;
}

export interface ClusterObjects {
  readonly snapshot: Snapshot;
  /** Compositions, as far as they could be read: one of them holds the Input. */
  readonly compositions: readonly unknown[];
}

const COMPOSITION = { Composition: 'apiextensions.crossplane.io/v1' } as const;

/**
 * undefined where the flags name none.
 * @throws UsageError where they contradict each other, a file cannot be read, or no API server answers
 */
export async function readClusterObjects(flags: ClusterFlags): Promise<ClusterObjects | undefined> {
  const { kubeconfig, context, objects, namespace } = flags;
  if (context !== undefined && kubeconfig === undefined) throw new UsageError('--context needs --kubeconfig');
  if (kubeconfig !== undefined && objects !== undefined)
    throw new UsageError('--kubeconfig and --objects are two clusters: give one of them');
  if (objects !== undefined) return readFiles(objects, namespace);
  if (kubeconfig === undefined) return undefined;
  if (!existsSync(kubeconfig)) throw new UsageError(`--kubeconfig ${kubeconfig}: there is no such file`);
  // The client of the API server is large: who reads files only need not wait for it.
  const { readKinds } = await import('../live/from-api.ts');
  const { Composition, ...snapshot } = await readApi(() =>
    readKinds({ kubeconfig, context }, { ...LIVE_KINDS, ...COMPOSITION }, namespace),
  );
  refuseSilence(kubeconfig, Object.values(snapshot));
  return { snapshot, compositions: Composition.kind === 'objects' ? Composition.objects : [] };
}

/** What the client throws before it asks anything is about the kubeconfig. */
export async function readApi<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UsageError(`cannot use the kubeconfig: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Not one kind could be read: then there was no cluster to look at. */
export function refuseSilence(kubeconfig: string, readings: readonly Reading[]): void {
  const reasons = readings.flatMap(reading => (reading.kind === 'unreadable' ? [reading.reason] : []));
  if (reasons.length === readings.length)
    throw new UsageError(`${kubeconfig}: nothing of the cluster could be read: ${reasons[0] ?? ''}`);
}

function readFiles(path: string, namespace: string | undefined): ClusterObjects {
  const documents = readDocuments(path).flatMap(unpackList);
  const here = documents.filter(document => isHere(document, namespace));
  try {
    return {
      snapshot: withoutEmpty(snapshotFromDocuments(here), path),
      compositions: documents.filter(document => readPath(document, 'kind') === 'Composition'),
    };
  } catch (error) {
    if (isFieldError(error)) throw new UsageError(`${path}: expected Kubernetes objects: ${error.message}`);
    throw error;
  }
}

function isHere(document: unknown, namespace: string | undefined): boolean {
  return (
    namespace === undefined ||
    readPath(document, 'kind') === 'Namespace' ||
    readPath(document, 'metadata', 'namespace') === namespace
  );
}

/** A kind that was left out of the files cannot be told from one without objects: it counts as not read. */
function withoutEmpty(snapshot: Snapshot, path: string): Snapshot {
  const readings = LIVE_KIND_NAMES.map(kind => {
    const reading = snapshot[kind];
    const isEmpty = reading.kind === 'objects' && reading.objects.length === 0;
    return [kind, isEmpty ? { kind: 'unreadable', reason: `${path} holds none` } : reading] as const;
  });
  return Object.fromEntries(readings) as unknown as Snapshot;
}
