/** All objects of one kind, listed and then watched; from the start again whenever the watch ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Watch, type KubeConfig } from '@kubernetes/client-node';
import { ANNOTATION, GROUP, KINDS, VERSION, type ApiObject, type Kind } from './api.ts';
import type { Kubernetes } from './kubernetes.ts';

const RETRY_MS = 1000;
/** A connection that broke without a word is found out with the next one. */
const WATCH_SECONDS = 300;

export interface Change {
  readonly object: ApiObject;
  /** Undefined where it is new. */
  readonly before: ApiObject | undefined;
}

export interface WatchOptions {
  readonly config: KubeConfig;
  readonly kubernetes: Kubernetes;
  readonly kind: Kind;
  readonly signal: AbortSignal;
  /** Also called for an object that is gone, with what was last seen of it. */
  readonly changed: (change: Change) => void;
  readonly failed: (error: unknown) => void;
}

/** Until the signal's abort. */
export async function watch(options: WatchOptions): Promise<void> {
  const known = new Map<string, ApiObject>();
  const { signal, failed } = options;
  while (!signal.aborted) {
    try {
      await follow(options, known, await list(options, known));
    } catch (error) {
      if (isAborted(signal)) return;
      failed(error);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Read anew each time: the abort comes while something is awaited. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** @returns the version from which on to follow */
async function list({ kind, kubernetes, changed }: WatchOptions, known: Map<string, ApiObject>): Promise<string> {
  const { items, metadata } = await kubernetes.list(kind);
  const seen = new Set(items.map(item => item.metadata.uid));
  const gone = [...known.values()].filter(object => !seen.has(object.metadata.uid));
  for (const object of gone) forget(known, object, changed);
  for (const object of items) see(known, object, changed);
  return metadata.resourceVersion;
}

function see(known: Map<string, ApiObject>, object: ApiObject, changed: WatchOptions['changed']): void {
  const before = known.get(object.metadata.uid);
  known.set(object.metadata.uid, object);
  if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) changed({ object, before });
}

function forget(known: Map<string, ApiObject>, object: ApiObject, changed: WatchOptions['changed']): void {
  known.delete(object.metadata.uid);
  changed({ object, before: object });
}

async function follow(
  { config, kind, signal, changed }: WatchOptions,
  known: Map<string, ApiObject>,
  resourceVersion: string,
): Promise<void> {
  const path = `/apis/${GROUP}/${VERSION}/${KINDS[kind].plural}`;
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const ended = new Promise<void>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  const event = (phase: string, object: unknown): void => {
    // With an error or without one, the end of the watch follows.
    if (phase === 'DELETED') forget(known, object as ApiObject, changed);
    if (phase === 'ADDED' || phase === 'MODIFIED') see(known, object as ApiObject, changed);
  };
  const request = await new Watch(config).watch(
    path,
    { resourceVersion, timeoutSeconds: WATCH_SECONDS },
    event,
    (error: unknown) => {
      if (error === null || error === undefined || signal.aborted) resolve();
      else reject(error instanceof Error ? error : new Error(JSON.stringify(error)));
    },
  );
  const abort = (): void => {
    request.abort();
    resolve();
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  await ended.finally(() => {
    signal.removeEventListener('abort', abort);
  });
}

/** The annotations that the reconciler itself writes and asks for another turn after. */
const IGNORED: ReadonlySet<string> = new Set([ANNOTATION.createPending, ANNOTATION.createFailed]);

/** Whether what is desired changed: its spec, labels or annotations, or that it is deleted; not its status. */
export function isDesireChanged({ object, before }: Change): boolean {
  if (before === undefined || before === object) return true;
  const [now, then] = [object.metadata, before.metadata];
  const annotations = (all: Readonly<Record<string, string>> = {}): string =>
    print(Object.entries(all).filter(([name]) => !IGNORED.has(name)));
  return (
    now.generation !== then.generation ||
    print(Object.entries(now.labels ?? {})) !== print(Object.entries(then.labels ?? {})) ||
    annotations(now.annotations) !== annotations(then.annotations)
  );
}

function print(entries: readonly (readonly [string, string])[]): string {
  return JSON.stringify([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
