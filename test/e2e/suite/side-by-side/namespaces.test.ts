/** Each namespace for itself: what belongs to others never gets into it, and what changes in it is seen at once. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readPath } from '../../../../src/kube.ts';
import { App, APPLY_SECONDS } from '../app.ts';
import { callsSince } from '../calls.ts';
import { remove } from '../cluster.ts';
import { eventually } from '../eventually.ts';
import { schedule } from '../kinds.ts';
import { median, record } from '../measured.ts';
import { hasState, realBuckets, realRecords } from '../world.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const paperless = new App('e2e-paperless');
const immich = new App('e2e-immich');
const stranger = new App('e2e-stranger');
/** A tenth of what it would take without a watch, by the answer's five minutes. What it takes is in the docs. */
const PICK_UP_LIMIT_MS = 30_000;
const QUIET_MS = 5000;

async function declare(app: App): Promise<void> {
  await app.create();
  await app.applySchedule('backup', `${app.namespace}-backup`);
  await app.applyRoute('web', `${app.namespace}.int.kueber.eu`);
  await app.applyTofuWorkspace();
}

beforeAll(async () => {
  await Promise.all([paperless, immich].map(declare));
  await Promise.all([paperless, immich].map(app => app.ready()));
});

/** Until all is done that was called for. */
async function quiet(app: App): Promise<void> {
  await app.ready();
  await eventually('no call any more', async () =>
    (await callsSince(Date.now() - QUIET_MS, app.namespace)).length === 0 ? true : undefined,
  );
}

/** Milliseconds from a change until the function was called for it. */
async function pickUp(app: App, change: () => Promise<unknown>): Promise<number> {
  await quiet(app);
  const changed = Date.now();
  await change();
  const call = await eventually(
    `a call for ${app.namespace}`,
    async () => (await callsSince(changed, app.namespace))[0],
  );
  return call.time - changed;
}

describe('two namespaces', () => {
  it.each([
    [paperless, immich],
    [immich, paperless],
  ])('each hold only their own', async (own, other) => {
    const module = await own.module();
    expect(module).toContain(`"${own.namespace}-backup"`);
    expect(module).toContain(`"${own.namespace}.int.kueber.eu"`);
    expect(module).not.toContain(other.namespace);
    expect(await own.buckets()).toEqual({ [`${own.namespace}-backup`]: 'Wanted' });
    expect(readPath(await own.tofuWorkspace(), 'status', 'read')).toEqual({ schedules: 1, routes: 1 });
    expect(hasState(own.namespace)).toBe(true);
  });

  it('have their buckets and records', () => {
    expect(Object.keys(realBuckets())).toEqual(expect.arrayContaining(['e2e-paperless-backup', 'e2e-immich-backup']));
    expect(realRecords()).toEqual(expect.arrayContaining(['e2e-paperless.int.kueber.eu', 'e2e-immich.int.kueber.eu']));
  });
});

describe('a third namespace', () => {
  it('causes no call for the others, whatever is declared in it', async () => {
    await stranger.create();
    await Promise.all([paperless, immich].map(quiet));
    const changes: number[] = [];
    for (let round = 0; round < 5; round++) {
      changes.push(Date.now());
      await stranger.applySchedule('backup', `e2e-stranger-backup-${round}`);
      await stranger.applyRoute('web', `stranger-${round}.int.kueber.eu`);
      // A change in one's own namespace is seen in a fraction of this.
      await sleep(1500);
    }
    const [first] = changes;
    const calls = (await callsSince(first ?? 0)).filter(({ namespace }) =>
      [paperless, immich].some(app => app.namespace === namespace),
    );
    // The answer holds for five minutes; one such call may fall into the window by itself, five can't.
    const caused = changes.filter(at => calls.some(({ time }) => time >= at && time < at + 1500));
    expect(caused.length).toBeLessThanOrEqual(1);
    expect(await paperless.module()).not.toContain('stranger');
    expect(await callsSince(first ?? 0, 'e2e-stranger')).toEqual([]);
  });
});

describe('what changes in the namespace', () => {
  const times: number[] = [];

  it('a label that is taken off: the bucket is kept', async () => {
    times.push(await pickUp(paperless, () => paperless.labelSchedule('backup', null)));
    await eventually('Retained', async () =>
      (await paperless.buckets())['e2e-paperless-backup'] === 'Retained' ? true : undefined,
    );
    expect(await paperless.module()).toContain('"e2e-paperless-backup"');
  });

  it('the label again: the bucket is wanted again, and was never touched', async () => {
    const before = realBuckets()['e2e-paperless-backup'];
    times.push(await pickUp(paperless, () => paperless.labelSchedule('backup', 'true')));
    await eventually('Wanted', async () =>
      (await paperless.buckets())['e2e-paperless-backup'] === 'Wanted' ? true : undefined,
    );
    await paperless.ready();
    expect(realBuckets()['e2e-paperless-backup']).toBe(before);
  });

  it('a new route is picked up', async () => {
    times.push(await pickUp(immich, () => immich.applyRoute('photos', 'photos.int.kueber.eu')));
    await eventually(
      'the record',
      () => (realRecords().includes('photos.int.kueber.eu') ? true : undefined),
      APPLY_SECONDS,
    );
  });

  it('a new Schedule, and its deletion', async () => {
    times.push(await pickUp(immich, () => immich.applySchedule('second', 'e2e-immich-second')));
    times.push(await pickUp(immich, () => remove(schedule('e2e-immich', 'second'))));
  });

  it('is seen by a watch, not by the answer running out', () => {
    record('pick-up', {
      changes: times.length,
      medianMilliseconds: median(times),
      largestMilliseconds: Math.max(...times),
    });
    expect(Math.max(...times)).toBeLessThan(PICK_UP_LIMIT_MS);
  });
});
