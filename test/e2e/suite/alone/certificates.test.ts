/** The certificate that the function serves with is replaced while TofuWorkspaces are reconciled. */
import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { FUNCTION_NAME } from '../../../../src/api/function-step.ts';
import { App, decodeData, RECONCILE_SECONDS } from '../app.ts';
import { callsSince, callWith, functionPods, metric, SYSTEM } from '../calls.ts';
import { get, remove } from '../cluster.ts';
import { restartCore } from '../crossplane.ts';
import { eventually } from '../eventually.ts';
import { secret } from '../kinds.ts';
import { record } from '../measured.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const EXPIRY = 'function_tofu_workspace_certificate_expiry_timestamp_seconds';
const PAIR = secret(SYSTEM, `${FUNCTION_NAME}-tls-server`);
const app = new App('e2e-certificates');

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', 'e2e-certificates-backup');
  await app.applyTofuWorkspace();
  await app.ready();
});

async function certificate(): Promise<X509Certificate> {
  return new X509Certificate(decodeData(await get(PAIR)).get('tls.crt') ?? '');
}

it('without one failed reconcile', async () => {
  const pods = await functionPods();
  const uids = pods.map(({ metadata }) => metadata['uid']);
  const before = await certificate();
  const synced = await app.condition('Synced');
  expect(synced?.['status']).toBe('True');
  const started = Date.now();

  const end = new AbortController();
  const reconciling = (async () => {
    for (let count = 0; !end.signal.aborted; count++) {
      await app.touch(`${count}`);
      await sleep(1500);
    }
  })();
  try {
    await eventually('calls before', async () => (await callsSince(started, app.namespace))[2]);
    const removed = Date.now();
    // Crossplane makes the Secret anew. Emptied it would be left as it is, as long as one of its keys has a value.
    await remove(PAIR);
    const after = await eventually('another pair', async () => {
      const found = await certificate();
      return found.fingerprint256 === before.fingerprint256 ? undefined : found;
    });
    await eventually(
      'every pod serves with it',
      async () => {
        const expiries = await Promise.all(pods.map(({ metadata }) => metric(metadata.name, EXPIRY)));
        return expiries.every(expiry => expiry === new Date(after.validTo).getTime() / 1000) ? true : undefined;
      },
      RECONCILE_SECONDS,
    );
    record('certificate in force after', { seconds: Math.round((Date.now() - removed) / 1000) });
    const inForce = Date.now();
    await eventually('calls go on', async () => (await callsSince(inForce, app.namespace))[2]);
  } finally {
    end.abort();
    await reconciling;
  }
  expect((await functionPods()).map(({ metadata }) => metadata['uid']).sort()).toEqual([...uids].sort());
  // A reconcile that fails sets it to False, and the next one to True with another time.
  expect(await app.condition('Synced'), (await app.warnings()).join('\n')).toEqual(synced);
  const calls = await callsSince(started, app.namespace);
  expect(calls.filter(({ outcome }) => !['settled', 'waiting'].includes(outcome))).toEqual([]);

  // Its connections were made with the pair before: only a new core shakes hands with this one.
  await restartCore();
  const restarted = Date.now();
  await app.touch('restarted');
  await eventually('a new core is answered', () => callWith('settled', restarted, app.namespace), RECONCILE_SECONDS);
});
