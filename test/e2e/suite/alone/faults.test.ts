/** Parts that are taken away while TofuWorkspaces are reconciled: nothing is deleted, and it goes on by itself. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type KubeObject } from '../../../../src/kube.ts';
import { App, APPLY_SECONDS, conditionOf, RECONCILE_SECONDS } from '../app.ts';
import { callsSince, functionPods, SYSTEM } from '../calls.ts';
import { apply, list, remove, removeAtOnce, type Reference } from '../cluster.ts';
import { isReady, restartCore, scaleCore } from '../crossplane.ts';
import { eventually, steadily } from '../eventually.ts';
import { hideRegistry, killApiServer, OWN_CLUSTER, showRegistry, startApiServer } from '../harness.ts';
import { pod, secret } from '../kinds.ts';
import { record } from '../measured.ts';
import { realBuckets } from '../world.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const app = new App('e2e-faults');
const BUCKET = 'e2e-faults-backup';
let before: Readonly<Record<string, unknown>>;
let bucket: string | undefined;
let routes = 0;

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', BUCKET);
  await app.applyTofuWorkspace();
  await app.ready();
  await eventually('the credentials', () => app.secretData(`${BUCKET}-b2`));
  await app.lastAnswerApplied();
  before = await identities();
  bucket = realBuckets()[BUCKET];
});

async function identities(): Promise<Readonly<Record<string, unknown>>> {
  const entry = ({ kind, metadata }: KubeObject): [string, unknown] => [`${kind} ${metadata.name}`, metadata['uid']];
  return Object.fromEntries((await app.composed()).map(entry));
}

/** A change that must be composed, and everything that was there is the same object still. */
async function converges(what: string): Promise<void> {
  const started = Date.now();
  const hostname = `fault-${routes++}.int.kueber.eu`;
  await eventually('the route is taken', () => app.applyRoute('web', hostname));
  await eventually(
    'the change is composed',
    async () => ((await app.module()).includes(`"${hostname}"`) ? true : undefined),
    RECONCILE_SECONDS,
  );
  record('change composed after', { fault: what, seconds: Math.round((Date.now() - started) / 100) / 10 });
  await app.lastAnswerApplied();
  await app.ready();
  expect(await identities()).toEqual(before);
  expect(realBuckets()[BUCKET]).toBe(bucket);
}

async function functionReady(): Promise<void> {
  await eventually('two pods of the function are ready', async () => {
    const pods = await functionPods();
    return pods.length === 2 && pods.every(isReady) ? true : undefined;
  });
}

/** Core calls an object that changes more than once a second for long a runaway, and reconciles it every 30 s only. */
const TOUCH_INTERVAL_MS = 1500;

async function whileReconciling(during: () => Promise<void>): Promise<void> {
  const end = new AbortController();
  const changes = (async () => {
    for (let count = 0; !end.signal.aborted; count++) {
      // Fails while the API server is away.
      await app.touch(`${count}`).catch(() => undefined);
      await sleep(TOUCH_INTERVAL_MS);
    }
  })();
  try {
    await during();
  } finally {
    end.abort();
    await changes;
  }
}

describe('the function', () => {
  it('both pods killed at once, in the middle of reconciles', async () => {
    await whileReconciling(async () => {
      await sleep(1000);
      await Promise.all((await functionPods()).map(({ metadata }) => removeAtOnce(pod(SYSTEM, metadata.name))));
      await functionReady();
    });
    await converges('both pods of the function killed');
  });

  it('one of two gone: the other answers', async () => {
    await functionReady();
    const [first, other] = await functionPods();
    if (first === undefined || other === undefined) throw new Error('not two pods');
    await whileReconciling(async () => {
      await removeAtOnce(pod(SYSTEM, first.metadata.name));
      const gone = Date.now();
      await eventually(
        'answered by the other',
        async () => (await callsSince(gone, app.namespace, [other]))[2],
        RECONCILE_SECONDS,
      );
      record('answered by the other of two pods', { seconds: Math.round((Date.now() - gone) / 100) / 10 });
    });
    await converges('one of two pods of the function killed');
    await functionReady();
  });
});

describe('Crossplane', () => {
  it('core killed in the middle of reconciles', async () => {
    await whileReconciling(restartCore);
    await converges('core killed');
  });

  it('core away while an app is deleted: its webhook fails closed, then it goes on', async () => {
    const other = new App('e2e-faults-deleted');
    await other.create();
    await other.applySchedule('backup', 'e2e-faults-deleted-backup');
    await other.applyTofuWorkspace();
    await other.ready();
    await eventually('the passphrase is held', async () =>
      (await list('v1', 'Secret', other.namespace)).some(
        ({ metadata }) => metadata.name === 'tofu-encryption' && metadata.labels?.['crossplane.io/in-use'] === 'true',
      )
        ? true
        : undefined,
    );
    await scaleCore(0);
    await expect(remove(secret(other.namespace, 'tofu-encryption'))).rejects.toThrow(/webhook/);
    await other.deleteNamespace();
    await steadily('the passphrase is there', async () => (await other.secretNames()).includes('tofu-encryption'), 10);
    await scaleCore(1);
    await eventually(
      'the destroy is refused, as it must be',
      async () =>
        /cannot be destroyed/.test(String(conditionOf(await other.workspace(), 'Synced')?.['message']))
          ? true
          : undefined,
      APPLY_SECONDS,
    );
    expect(await other.secretNames()).toContain('tofu-encryption');
    expect(realBuckets()['e2e-faults-deleted-backup']).toBeDefined();
    await converges('core away for a while');
  });

  it('its writes refused by an admission webhook', async () => {
    await apply(REFUSING_WEBHOOK);
    try {
      await app.applyRoute('web', 'refused.int.kueber.eu');
      await eventually(
        'Synced False',
        async () => (conditionOf(await app.tofuWorkspace(), 'Synced')?.['status'] === 'False' ? true : undefined),
        RECONCILE_SECONDS,
      );
      expect(await identities()).toEqual(before);
    } finally {
      await remove(REFUSING_REFERENCE);
    }
    await converges('writes refused by a webhook');
  });
});

const REFUSING_REFERENCE: Reference = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  name: 'e2e-refuses',
};
const REFUSING_WEBHOOK: KubeObject = {
  apiVersion: REFUSING_REFERENCE.apiVersion,
  kind: REFUSING_REFERENCE.kind,
  metadata: { name: REFUSING_REFERENCE.name },
  webhooks: [
    {
      name: 'refuses.e2e.test',
      clientConfig: { url: 'https://127.0.0.1:1/nobody-listens' },
      rules: [
        {
          apiGroups: ['opentofu.m.upbound.io'],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['workspaces', 'providerconfigs'],
        },
      ],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'e2e-faults' } },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

describe.skipIf(!OWN_CLUSTER)('of the cluster itself', () => {
  it('the API server killed in the middle of reconciles', async () => {
    await whileReconciling(async () => {
      killApiServer();
      await sleep(3000);
      startApiServer();
      await eventually('the API server answers', async () => ((await functionPods()).length > 0 ? true : undefined));
    });
    await converges('API server killed');
  });

  it('the registry gone after the installation', async () => {
    hideRegistry();
    try {
      await Promise.all((await functionPods()).map(({ metadata }) => removeAtOnce(pod(SYSTEM, metadata.name))));
      await restartCore();
      await functionReady();
      await converges('registry gone, pods of core and function new');
    } finally {
      showRegistry();
    }
  });
});
