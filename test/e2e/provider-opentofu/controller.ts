/** Watches the group's objects, and gives each its turns. */
import { join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import { cliConfigurationOf } from '../../tofu/mirror.ts';
import { nameOf, type Kind, type ObjectName, type ProviderConfigUsage } from './api.ts';
import type { Settings } from './arguments.ts';
import { Connector } from './connector.ts';
import { Kubernetes, isConflict } from './kubernetes.ts';
import { MARK } from './leftovers.ts';
import { ProviderConfigReconciler, type ProviderConfigKind } from './provider-config-reconciler.ts';
import { isDesireChanged, watch, type Change } from './watched.ts';
import { collectGarbage } from './work-folder.ts';
import { AGAIN, WorkQueue, type Requeue } from './work-queue.ts';
import { WorkspaceReconciler } from './workspace-reconciler.ts';

export interface ControllerOptions {
  readonly config: KubeConfig;
  readonly settings: Settings;
  readonly log: Logger;
  /** Its abort ends everything: what runs of tofu is asked to come to an end. */
  readonly signal: AbortSignal;
}

/** Resolves when, after the signal's abort, everything has ended. */
export async function runController(options: ControllerOptions): Promise<void> {
  const { config, settings, log, signal } = options;
  const kubernetes = new Kubernetes(config, signal);
  const queueOf = (
    kind: Kind,
    concurrency: number,
    reconciler: { readonly reconcile: (name: ObjectName) => Promise<Requeue> },
  ): WorkQueue =>
    new WorkQueue({
      concurrency,
      backoff: { baseMs: settings.backoffBaseMs, maxMs: settings.backoffMaxMs },
      work: key => turn(reconciler, parseKey(key), log.child({ kind }), signal),
    });

  const workspaces = queueOf('Workspace', settings.maxReconcileRate, workspaceReconciler(options, kubernetes));
  const configs = queueOf('ProviderConfig', 1, new ProviderConfigReconciler(kubernetes, 'ProviderConfig', log));
  const clusterConfigs = queueOf(
    'ClusterProviderConfig',
    1,
    new ProviderConfigReconciler(kubernetes, 'ClusterProviderConfig', log),
  );

  const watchKind = (kind: Kind, changed: (change: Change) => void): Promise<void> =>
    watch({
      config,
      kubernetes,
      kind,
      signal,
      changed,
      failed: error => {
        log.warn({ kind, error: String(error) }, 'the watch failed, and begins again');
      },
    });
  const watches = [
    watchKind('Workspace', change => {
      if (isDesireChanged(change)) workspaces.add(keyOf(nameOf(change.object)));
    }),
    watchKind('ProviderConfig', ({ object }) => {
      configs.add(keyOf(nameOf(object)));
    }),
    watchKind('ClusterProviderConfig', ({ object }) => {
      clusterConfigs.add(keyOf(nameOf(object)));
    }),
    watchKind('ProviderConfigUsage', ({ object }) => {
      const { providerConfigRef, metadata } = object as ProviderConfigUsage;
      const { kind, name } = providerConfigRef;
      if ((kind as ProviderConfigKind) === 'ProviderConfig')
        configs.add(keyOf({ name, namespace: metadata.namespace ?? '' }));
      else clusterConfigs.add(keyOf({ name, namespace: '' }));
    }),
  ];
  const collector = setInterval(() => void collect(kubernetes, settings.work, log), settings.collectMs);
  log.info('watching');

  await Promise.all(watches);
  clearInterval(collector);
  await Promise.all([workspaces, configs, clusterConfigs].map(queue => queue.stop()));
}

function workspaceReconciler(
  { settings, log, signal }: ControllerOptions,
  kubernetes: Kubernetes,
): WorkspaceReconciler {
  const connector = new Connector({
    kubernetes,
    tofu: settings.tofu,
    work: settings.work,
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: settings.work,
      CHECKPOINT_DISABLE: '1',
      TF_CLI_CONFIG_FILE: cliConfigurationOf(settings.mirror),
      SCHEMA_REPLAY_WORLD: join(settings.remote, 'world.json'),
      [MARK]: settings.work,
    },
  });
  const { pollMs, pollJitterMs, timeoutMs } = settings;
  const nextPollMs = (): number => pollMs + (Math.random() * 2 - 1) * pollJitterMs;
  return new WorkspaceReconciler({ kubernetes, connector, log, nextPollMs, timeoutMs, signal });
}

async function turn(
  reconciler: { readonly reconcile: (name: ObjectName) => Promise<Requeue> },
  name: ObjectName,
  log: Logger,
  signal: AbortSignal,
): Promise<Requeue> {
  const started = Date.now();
  try {
    const requeue = await reconciler.reconcile(name);
    log.debug({ ...name, ms: Date.now() - started, next: requeue.kind }, 'reconciled');
    return requeue;
  } catch (error) {
    if (!isConflict(error) && !signal.aborted) log.error({ ...name, error: String(error) }, 'cannot reconcile');
    return AGAIN;
  }
}

async function collect(kubernetes: Kubernetes, work: string, log: Logger): Promise<void> {
  try {
    const { items } = await kubernetes.list('Workspace');
    const gone = collectGarbage(work, new Set(items.map(({ metadata }) => metadata.uid)));
    if (gone.length > 0) log.info({ gone }, 'removed run directories');
  } catch (error) {
    log.warn({ error: String(error) }, 'cannot remove run directories');
  }
}

function keyOf({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
}

function parseKey(key: string): ObjectName {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
