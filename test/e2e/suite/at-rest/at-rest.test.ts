/**
 * Many TofuWorkspaces of which nothing changes. The provider has not been started yet: what it would report stands in
 * each Workspace's status, so that only Crossplane and the function can be the ones who write.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_NAME } from '../../../../src/api/function-step.ts';
import { readPath, type KubeObject } from '../../../../src/kube.ts';
import { App, conditionOf } from '../app.ts';
import { callsSince, functionPods, metric, SYSTEM } from '../calls.ts';
import { apply, get, list, merge, raw } from '../cluster.ts';
import { eventually } from '../eventually.ts';
import { composition, workspace } from '../kinds.ts';
import { record } from '../measured.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const COUNT = 50;
const AT_ONCE = 25;
/** The shipped answer holds for 5 minutes; this one is asked for anew so often that several fall into the window. */
const TTL_SECONDS = 10;
const WINDOW_SECONDS = 45;

const apps = Array.from({ length: COUNT }, (_, index) => new App(`e2e-rest-${String(index).padStart(2, '0')}`));

beforeAll(async () => {
  await applyQuickComposition();
  const queue = [...apps];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let app = queue.shift(); app !== undefined; app = queue.shift()) await bringToRest(app);
    }),
  );
}, 600_000);

/** The shipped Composition with another time to live, as a second one beside it. */
async function applyQuickComposition(): Promise<void> {
  const shipped = await get(composition());
  const spec = structuredClone(shipped['spec']) as { pipeline: { input: Record<string, unknown> }[] };
  for (const step of spec.pipeline) step.input['ttl'] = `${TTL_SECONDS}s`;
  await apply({
    apiVersion: shipped.apiVersion,
    kind: shipped.kind,
    metadata: { name: 'tofuworkspaces-quick' },
    spec,
  });
}

async function bringToRest(app: App): Promise<void> {
  const bucket = `${app.namespace}-backup`;
  await app.create();
  await app.applySchedule('backup', bucket);
  await app.applyRoute('web', `${app.namespace}.int.kueber.eu`);
  await app.applyTofuWorkspace({ crossplane: { compositionRef: { name: 'tofuworkspaces-quick' } } });
  const composed = await eventually(`the Workspace of ${app.namespace}`, () => app.workspace());
  await app.applySecret('workspace-outputs', {
    application_key_ids: JSON.stringify({ [bucket]: '0123456789abcdef012345678' }),
    application_keys: JSON.stringify({ [bucket]: 'K0123456789abcdef0123456789abcd' }),
  });
  await reportUse(app, composed);
  await reportApplied(app, composed, bucket);
  await app.ready();
}

/** The provider makes it in its first reconcile. */
async function reportUse({ namespace }: App, { apiVersion, kind, metadata }: KubeObject): Promise<void> {
  await apply({
    apiVersion,
    kind: 'ProviderConfigUsage',
    metadata: { name: String(metadata['uid']), namespace },
    providerConfigRef: { kind: 'ProviderConfig', name: 'workspace' },
    resourceRef: { apiVersion, kind, name: metadata.name, uid: metadata['uid'] },
  });
}

async function reportApplied(app: App, { metadata }: KubeObject, bucket: string): Promise<void> {
  // Tells the provider, once it runs, to leave this one alone, as Crossplane's providers do.
  await merge(workspace(app.namespace), { metadata: { annotations: { 'crossplane.io/paused': 'true' } } });
  const at = { lastTransitionTime: new Date().toISOString(), observedGeneration: metadata['generation'] };
  const status = {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Available', ...at },
      { type: 'Synced', status: 'True', reason: 'ReconcileSuccess', ...at },
    ],
    atProvider: {
      outputs: {
        buckets: { [bucket]: '0123456789abcdef01234567' },
        records: { [`${app.namespace}.int.kueber.eu`]: '100.64.0.10' },
      },
    },
  };
  const path = `/apis/opentofu.m.upbound.io/v1beta1/namespaces/${app.namespace}/workspaces/workspace/status`;
  await raw(path, 'PATCH', { status }, 'application/merge-patch+json');
}

describe(`${COUNT} TofuWorkspaces at rest`, () => {
  it('are reconciled again and again, and nothing is written', async () => {
    await eventsTold();
    const before = await snapshot();
    const pods = await functionPods();
    const cpuBefore = await sumOf(pods, 'process_cpu_seconds_total');
    const started = Date.now();
    await sleep(WINDOW_SECONDS * 1000);
    const calls = await callsSince(started);
    const seconds = (Date.now() - started) / 1000;
    const cpu = (await sumOf(pods, 'process_cpu_seconds_total')) - cpuBefore;

    for (const { namespace } of apps) {
      const own = calls.filter(call => call.namespace === namespace);
      expect(own.length, `calls for ${namespace}`).toBeGreaterThanOrEqual(3);
      expect(own.length, `calls for ${namespace}`).toBeLessThanOrEqual(Math.ceil(seconds / (TTL_SECONDS * 0.8)));
      expect(new Set(own.map(({ outcome }) => outcome))).toEqual(new Set(['settled']));
    }
    expect(await snapshot()).toEqual(before);

    record('at rest', {
      tofuWorkspaces: COUNT,
      ttlSeconds: TTL_SECONDS,
      callsPerTofuWorkspaceAndMinute: round((calls.length / COUNT / seconds) * 60),
      cpuMillisecondsPerCall: round((cpu / calls.length) * 1000),
      functionPods: pods.length,
      ...(await memoryOf(pods)),
    });
  });

  it('are left alone for longer unless the Input says otherwise', async () => {
    const [app] = apps;
    if (app === undefined) throw new Error('no app');
    await merge({ ...composition(), name: 'tofuworkspaces-quick' }, await withoutTtl());
    await eventually('the Composition without a time to live is in use', async () => {
      const started = Date.now();
      await sleep(TTL_SECONDS * 1.5 * 1000);
      return (await callsSince(started)).length === 0 ? true : undefined;
    });
    expect(conditionOf(await app.tofuWorkspace(), 'Ready')?.['status']).toBe('True');
  });
});

async function withoutTtl(): Promise<{ spec: unknown }> {
  const { spec } = (await get(composition())) as unknown as { spec: { pipeline: unknown } };
  return { spec: { pipeline: spec.pipeline } };
}

/** Everything in the namespaces that the function has to do with, by its resourceVersion; and how many events. */
async function snapshot(): Promise<Readonly<Record<string, string>>> {
  const kinds = [
    ['platform.kueber.eu/v1alpha1', 'TofuWorkspace'],
    ['opentofu.m.upbound.io/v1beta1', 'Workspace'],
    ['opentofu.m.upbound.io/v1beta1', 'ProviderConfig'],
    ['protection.crossplane.io/v1beta1', 'Usage'],
    ['v1', 'Secret'],
    ['v1', 'Event'],
  ] as const;
  const found = await Promise.all(kinds.map(([apiVersion, kind]) => list(apiVersion, kind)));
  const ours = found.flat().filter(({ metadata }) => metadata.namespace?.startsWith('e2e-rest-') === true);
  return Object.fromEntries(
    ours.map(({ kind, metadata }) => [
      `${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
      String(metadata['resourceVersion']),
    ]),
  );
}

/** Core writes its events one after the other, long after what they tell of: until it has caught up. */
async function eventsTold(): Promise<void> {
  let last = -1;
  await eventually(
    'core has written its events',
    async () => {
      const count = (await list('v1', 'Event')).length;
      if (count === last) return true;
      last = count;
      await sleep(5000);
      throw new Error(`${count} events`);
    },
    300,
  );
}

async function sumOf(pods: readonly KubeObject[], name: string): Promise<number> {
  const values = await Promise.all(pods.map(({ metadata }) => metric(metadata.name, name)));
  return values.reduce((sum, value) => sum + value, 0);
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string };
    readonly memory?: { readonly workingSetBytes?: number };
  }[];
}

/** As the kubelet counts it for limits. */
async function memoryOf(pods: readonly KubeObject[]): Promise<Record<string, number>> {
  const node = String(readPath(pods[0], 'spec', 'nodeName'));
  const summary = JSON.parse(await raw(`/api/v1/nodes/${node}/proxy/stats/summary`)) as Summary;
  const largest = (prefix: string): number =>
    Math.max(
      0,
      ...summary.pods
        .filter(({ podRef }) => podRef.namespace === SYSTEM && podRef.name.startsWith(prefix))
        .map(({ memory }) => (memory?.workingSetBytes ?? 0) / 2 ** 20),
    );
  return {
    functionPodMiB: Math.round(largest(`${FUNCTION_NAME}-`)),
    functionResidentMiB: Math.round(
      Math.max(...(await Promise.all(pods.map(pod => metric(pod.metadata.name, 'process_resident_memory_bytes'))))) /
        2 ** 20,
    ),
    coreMiB: Math.round(largest('crossplane-')),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
