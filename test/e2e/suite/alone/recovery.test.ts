/** A TofuWorkspace that is refused when core starts has no watch on what it requires: it waits for its back-off. */
import { beforeAll, expect, it } from 'vitest';
import { App, RECONCILE_SECONDS } from '../app.ts';
import { callWith } from '../calls.ts';
import { restartCore } from '../crossplane.ts';
import { eventually } from '../eventually.ts';
import { record } from '../measured.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const app = new App('e2e-recovery');
const BUCKET = 'e2e-recovery-backup';

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', BUCKET);
  await app.applyTofuWorkspace();
  await app.ready();
});

it('is run again after the Schedule is repaired, and nothing was lost meanwhile', async () => {
  const before = await app.workspace();
  // A B2 backend whose bucket cannot be read: leaving it out would drop the bucket.
  await app.applyScheduleWith('broken', { s3: { endpoint: 'https://s3.eu-central-003.backblazeb2.com', bucket: 'x' } });
  await eventually('refused', async () =>
    (await app.condition('IntentSettled'))?.['reason'] === 'InvalidDocument' ? true : undefined,
  );
  await restartCore();
  const restarted = Date.now();
  await eventually('refused by the new core', () => callWith('refused', restarted, app.namespace));
  // Long enough for the back-off to have grown.
  await sleep(20_000);
  const repaired = Date.now();
  await app.applySchedule('broken', 'e2e-recovery-second');
  await eventually('settled', () => callWith('settled', repaired, app.namespace), RECONCILE_SECONDS);
  record('refused, restarted, repaired', { secondsUntilSettled: Math.round((Date.now() - repaired) / 1000) });
  await app.lastAnswerApplied();
  await app.ready();
  expect((await app.workspace()).metadata['uid']).toBe(before.metadata['uid']);
  expect(await app.buckets()).toEqual({ [BUCKET]: 'Wanted', 'e2e-recovery-second': 'Wanted' });
});
