import { ApiException, KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';
import { parseKubeObject, type KubeObject } from '../kube.ts';
import {
  LIVE_KIND_NAMES,
  LIVE_KINDS,
  withoutSecretValues,
  type LiveKind,
  type Reading,
  type Snapshot,
} from './snapshot.ts';

const PAGE = 500;

/** Where the cluster is: a kubeconfig file, and a context of it other than its current one. */
export interface ClusterAccess {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
}

/**
 * Reads every kind once, of one namespace where it is named; Namespaces always of all.
 * A kind whose CRD is missing, or that may not be listed, is `unreadable` with the API server's words.
 *
 * @param kinds those to ask for, all where left out; the others are `unreadable`, never empty
 * @throws Error where the kubeconfig can't be read or names no such context
 */
export async function snapshotFromApi(
  access: ClusterAccess,
  namespace?: string,
  kinds: readonly LiveKind[] = LIVE_KIND_NAMES,
): Promise<Snapshot> {
  const config = new KubeConfig();
  config.loadFromFile(access.kubeconfig);
  if (access.context !== undefined) {
    if (config.getContextObject(access.context) === null)
      throw new Error(`${access.kubeconfig}: expected a context named ${access.context}, found none`);
    config.setCurrentContext(access.context);
  }
  const api = KubernetesObjectApi.makeApiClient(config);
  const readings = await Promise.all(
    LIVE_KIND_NAMES.map(async kind => [
      kind,
      kinds.includes(kind)
        ? await read(api, kind, kind === 'Namespace' ? undefined : namespace)
        : ({ kind: 'unreadable', reason: 'it was not asked for' } satisfies Reading),
    ]),
  );
  return Object.fromEntries(readings) as Snapshot;
}

async function read(api: KubernetesObjectApi, kind: LiveKind, namespace: string | undefined): Promise<Reading> {
  try {
    const objects: KubeObject[] = [];
    let next: string | undefined;
    do {
      const page = await api.list(
        LIVE_KINDS[kind],
        kind,
        namespace,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        PAGE,
        next,
      );
      // The items of a List carry no type of their own.
      for (const item of page.items)
        objects.push(withoutSecretValues(parseKubeObject({ ...item, apiVersion: LIVE_KINDS[kind], kind })));
      next = page.metadata?._continue;
    } while (next !== undefined && next !== '');
    return { kind: 'objects', objects };
  } catch (error) {
    return { kind: 'unreadable', reason: explain(error) };
  }
}

function explain(error: unknown): string {
  if (error instanceof ApiException) return `${String(error.code)}: ${messageOf(error.body)}`;
  return error instanceof Error ? error.message : String(error);
}

function messageOf(body: unknown): string {
  if (typeof body !== 'string') return 'no message';
  try {
    const status = JSON.parse(body) as { message?: unknown };
    return typeof status.message === 'string' ? status.message : body;
  } catch {
    return body;
  }
}
