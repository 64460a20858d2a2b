/** The cluster, as an administrator sees it. */
import {
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  type KubernetesObject as ClientObject,
} from '@kubernetes/client-node';
import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { promisify } from 'node:util';
import type { KubeObject } from '../../../src/kube.ts';

export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

type ClientHeader = ClientObject & { metadata: { name: string } };

export type Fields = Readonly<Record<string, unknown>>;
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

const MANAGER = 'e2e';

const config = new KubeConfig();
config.loadFromFile(required('E2E_KUBECONFIG'));
const objects = KubernetesObjectApi.makeApiClient(config);

export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: run \`make e2e\``);
  return value;
}

/** undefined where there is no such object. */
export async function find(reference: Reference): Promise<KubeObject | undefined> {
  try {
    return fromClient(await objects.read(headerOf(reference)));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export async function get(reference: Reference): Promise<KubeObject> {
  const found = await find(reference);
  if (found === undefined) throw new Error(`no ${nameOf(reference)}`);
  return found;
}

export async function list(apiVersion: string, kind: string, namespace?: string): Promise<KubeObject[]> {
  const { items } = await objects.list(apiVersion, kind, namespace);
  return items.map(item => fromClient({ ...item, apiVersion, kind }));
}

/** Server-side, by force. */
export async function apply(object: KubeObject, manager = MANAGER): Promise<KubeObject> {
  return fromClient(
    await objects.patch(toClient(object), undefined, undefined, manager, true, PatchStrategy.ServerSideApply),
  );
}

export async function merge({ apiVersion, kind, name, namespace }: Reference, fields: Fields): Promise<KubeObject> {
  const metadata = {
    ...(fields['metadata'] as Fields | undefined),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const patch = toClient({ ...fields, apiVersion, kind, metadata });
  return fromClient(await objects.patch(patch, undefined, undefined, MANAGER, undefined, PatchStrategy.MergePatch));
}

/** Nothing happens where there is no such object. @throws where the API server refuses */
export async function remove(reference: Reference, propagation: Propagation = 'Background'): Promise<void> {
  try {
    await objects.delete(headerOf(reference), undefined, undefined, undefined, undefined, propagation);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export async function removeAtOnce(reference: Reference): Promise<void> {
  await objects.delete(headerOf(reference), undefined, undefined, 0);
}

/** Any path of the API server, as text. */
export async function raw(path: string, method = 'GET', body?: unknown, type = 'application/json'): Promise<string> {
  const url = new URL(path, config.getCurrentCluster()?.server);
  const options = { method, headers: body === undefined ? {} : { 'content-type': type } };
  await config.applyToHTTPSOptions(options);
  return new Promise((resolve, reject) => {
    const call = request(url, options, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const code = response.statusCode ?? 0;
        if (code < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${code} ${text}`));
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** kubectl, for what is written as a command in the docs. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(required('E2E_KUBECTL'), [
    '--kubeconfig',
    required('E2E_KUBECONFIG'),
    ...args,
  ]);
  return stdout;
}

export function referenceOf({ apiVersion, kind, metadata }: KubeObject): Reference {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function nameOf({ kind, namespace, name }: Reference): string {
  return `${kind} ${namespace ?? ''}/${name}`;
}

function headerOf({ apiVersion, kind, name, namespace }: Reference): ClientHeader {
  return toClient({ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
}

// The client knows objects by their classes; what they hold is the same JSON.
function fromClient(object: unknown): KubeObject {
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}

function toClient(object: KubeObject): ClientHeader {
  const same: unknown = object;
  return same as ClientHeader;
}

export function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 404;
}
