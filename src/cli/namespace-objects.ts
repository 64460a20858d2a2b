import { CLAIMING_KINDS } from '../claims.ts';
import { checkText } from '../api/text-rule.ts';
import { NAMESPACE } from '../api/kubernetes-names.ts';
import { isFieldError } from '../errors.ts';
import type { ClusterAccess } from '../live/from-api.ts';
import { snapshotFromDocuments } from '../live/from-documents.ts';
import type { LiveKind, Snapshot } from '../live/snapshot.ts';
import { readDocuments } from './documents.ts';
import { UsageError } from './usage-error.ts';

/** Flags that say where the cluster's objects come from. */
export const NAMESPACE_FLAGS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  objects: { type: 'string' },
  'all-namespaces': { type: 'boolean' },
} as const;

/** What a usage text says about them. */
export const NAMESPACE_USAGE = `  --kubeconfig FILE       read the cluster; KUBECONFIG where neither is given
  --context NAME          a context other than the file's current one
  --objects FILE|FOLDER   read these documents instead, as "kubectl get … -o yaml" prints them
  --all-namespaces        the documents hold the objects of all namespaces (kubectl get -A)
`;

interface NamespaceFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly objects?: string | undefined;
  readonly 'all-namespaces'?: boolean | undefined;
}

export interface NamespaceObjects {
  /** Kinds of the one namespace. */
  readonly own: Snapshot;
  /** What claims buckets, of all namespaces. */
  readonly all: Snapshot;
  readonly origin: 'api' | 'all documents' | 'some documents';
}

/**
 * Reads, and only reads, what a command about one namespace needs.
 * @throws UsageError where nothing says where to look, or that can't be read
 */
export async function readNamespaceObjects(
  flags: NamespaceFlags,
  namespace: string,
  kinds: readonly LiveKind[],
): Promise<NamespaceObjects> {
  if (flags.objects !== undefined) return readFiles(flags, flags.objects);
  if (flags['all-namespaces'] === true)
    throw new UsageError('--all-namespaces speaks of --objects: a cluster is always asked for all it needs');
  const access = findAccess(flags);
  // The client of the API server is large: who reads files only need not wait for it.
  const { snapshotFromApi } = await import('../live/from-api.ts');
  try {
    const own = await snapshotFromApi(access, namespace, kinds);
    return { own, all: await snapshotFromApi(access, undefined, CLAIMING_KINDS), origin: 'api' };
  } catch (error) {
    throw new UsageError(`cannot use ${access.kubeconfig}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readFiles({ kubeconfig, 'all-namespaces': isAll }: NamespaceFlags, path: string): NamespaceObjects {
  if (kubeconfig !== undefined) throw new UsageError('--kubeconfig and --objects are two sources: give one of them');
  try {
    const all = snapshotFromDocuments(readDocuments(path));
    return { own: all, all, origin: isAll === true ? 'all documents' : 'some documents' };
  } catch (error) {
    if (isFieldError(error)) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function findAccess({ kubeconfig, context }: NamespaceFlags): ClusterAccess {
  const file = kubeconfig ?? process.env['KUBECONFIG'];
  if (file === undefined || file === '') throw new UsageError('give --kubeconfig FILE or --objects FILE|FOLDER');
  return { kubeconfig: file, context };
}

/** @throws UsageError: what is told holds commands with it, and an empty one would mean all namespaces */
export function requireNamespace(name: string | undefined): string {
  if (name === undefined) throw new UsageError('name a namespace');
  const expected = checkText(NAMESPACE, name);
  if (expected !== undefined) throw new UsageError(`expected ${expected}, got ${JSON.stringify(name)}`);
  return name;
}
