import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AGAIN, DONE, WorkQueue, type Requeue } from './work-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function queue(work: (name: string) => Promise<Requeue>, concurrency = 2): WorkQueue {
  return new WorkQueue({ work, concurrency, backoff: { baseMs: 1000, maxMs: 60_000 } });
}

describe('a work queue', () => {
  it('never works on one name twice at once, and comes back to it', async () => {
    let [running, most, turns] = [0, 0, 0];
    const all = queue(async () => {
      running += 1;
      turns += 1;
      most = Math.max(most, running);
      await new Promise(resolve => setTimeout(resolve, 5));
      running -= 1;
      return DONE;
    });
    for (let i = 0; i < 5; i += 1) all.add('a');
    await vi.advanceTimersByTimeAsync(10);
    expect(most).toBe(1);
    // Four of them came while the first was at work, and are one.
    expect(turns).toBe(2);
  });

  it('works on no more names at a time than it may', async () => {
    const open: (() => void)[] = [];
    const all = queue(
      () =>
        new Promise(resolve => {
          open.push(() => {
            resolve(DONE);
          });
        }),
    );
    for (const name of ['a', 'b', 'c']) all.add(name);
    expect(open).toHaveLength(2);
    open[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(open).toHaveLength(3);
  });

  it('waits twice as long after each failure in a row, up to a limit', async () => {
    const times: number[] = [];
    const all = queue(() => {
      times.push(Date.now());
      return Promise.resolve(times.length < 9 ? AGAIN : DONE);
    });
    all.add('a');
    await vi.advanceTimersByTimeAsync(600_000);
    const waits = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / 1000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('forgets failures with a success', async () => {
    const times: number[] = [];
    const answers: Requeue[] = [AGAIN, AGAIN, { kind: 'after', ms: 5000 }, AGAIN, DONE];
    const all = queue(() => {
      times.push(Date.now());
      return Promise.resolve(answers[times.length - 1] ?? DONE);
    });
    all.add('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / 1000)).toEqual([1, 2, 5, 1]);
  });

  it('stopped, waits for what is at work and begins nothing', async () => {
    vi.useRealTimers();
    const done: string[] = [];
    const all = queue(async name => {
      await sleep(20);
      done.push(name);
      return AGAIN;
    }, 1);
    all.add('a');
    all.add('b');
    await all.stop();
    await sleep(60);
    expect(done).toEqual(['a']);
  });
});
