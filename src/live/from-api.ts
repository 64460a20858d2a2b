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
const ANSWER_WITHIN_MS = 30_000;
const NOT_ASKED: Reading = { kind: 'unreadable', reason: 'it was not asked for' };

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
  const asked = Object.fromEntries(kinds.map(kind => [kind, LIVE_KINDS[kind]])) as Record<LiveKind, string>;
  const readings: Partial<Record<LiveKind, Reading>> = await readKinds(access, asked, namespace);
  return Object.fromEntries(LIVE_KIND_NAMES.map(kind => [kind, readings[kind] ?? NOT_ASKED])) as Snapshot;
}

/**
 * The same for other kinds, each with the apiVersion that it is read at.
 * @throws Error where the kubeconfig can't be read or names no such context
 */
export async function readKinds<K extends string>(
  access: ClusterAccess,
  kinds: Readonly<Record<K, string>>,
  namespace?: string,
): Promise<Readonly<Record<K, Reading>>> {
  const api = KubernetesObjectApi.makeApiClient(loadConfig(access));
  const readings = await Promise.all(
    (Object.entries(kinds) as [K, string][]).map(async ([kind, apiVersion]): Promise<[K, Reading]> => {
      const where = kind === 'Namespace' ? undefined : namespace;
      return [kind, await withinTime(read(api, { apiVersion, kind }, where))];
    }),
  );
  return Object.fromEntries(readings) as Record<K, Reading>;
}

function loadConfig({ kubeconfig, context }: ClusterAccess): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new Error(`${kubeconfig}: expected a context named ${context}, found none`);
    config.setCurrentContext(context);
  }
  if (config.getCurrentCluster() === null) throw new Error(`${kubeconfig}: expected a current context with a cluster`);
  return config;
}

async function read(
  api: KubernetesObjectApi,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  namespace: string | undefined,
): Promise<Reading> {
  try {
    const objects: KubeObject[] = [];
    let next: string | undefined;
    do {
      const page = await api.list(
        apiVersion,
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
        objects.push(withoutSecretValues(parseKubeObject(toPlain({ ...item, apiVersion, kind }))));
      next = page.metadata?._continue;
    } while (next !== undefined && next !== '');
    return { kind: 'objects', objects };
  } catch (error) {
    return { kind: 'unreadable', reason: explain(error) };
  }
}

/** The client makes Dates of times; everybody else reads what the API server wrote. */
function toPlain(object: object): unknown {
  return JSON.parse(JSON.stringify(object));
}

async function withinTime(reading: Promise<Reading>): Promise<Reading> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reading>(resolve => {
    timer = setTimeout(() => {
      resolve({ kind: 'unreadable', reason: `no answer within ${ANSWER_WITHIN_MS / 1000} s` });
    }, ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

function explain(error: unknown): string {
  if (error instanceof ApiException) return explainStatus(error.code, messageOf(error.body));
  const message = error instanceof Error ? error.message : String(error);
  // The client's own words for a kind that its group does not have.
  return /Unrecognized API version and kind/i.test(message) ? `its CRD is not installed (${message})` : message;
}

function explainStatus(code: number, message: string): string {
  if (code === 404) return `its CRD is not installed (404: ${message})`;
  if (code === 403) return `forbidden (403: ${message})`;
  return `${code}: ${message}`;
}

function messageOf(body: unknown): string {
  if (typeof body !== 'string') return readMessage(body) ?? 'no message';
  try {
    return readMessage(JSON.parse(body)) ?? body.trim();
  } catch {
    return body.trim();
  }
}

function readMessage(status: unknown): string | undefined {
  const message = typeof status === 'object' && status !== null ? (status as { message?: unknown }).message : undefined;
  return typeof message === 'string' ? message : undefined;
}
