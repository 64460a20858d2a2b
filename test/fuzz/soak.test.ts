/** The short form of `bench/soak.ts`, which calls a million times: memory stays flat. */
import { describe, expect, it } from 'vitest';
import { soak, TOLERATED_GROWTH_MIB } from '../../bench/soak.ts';
import { entryOfServer } from '../contract/server-process.ts';

const CALLS = 2_000;

describe('the process', () => {
  it(`holds no more memory at the end of ${CALLS} calls than in the middle`, { timeout: 180_000 }, async () => {
    const command = [process.execPath, ...entryOfServer(), '--insecure', '--address', '127.0.0.1:0'];
    const { growthMiB, residentMiB } = await soak(command, CALLS, () => undefined);
    expect(growthMiB, residentMiB.map(Math.round).join(' ')).toBeLessThan(TOLERATED_GROWTH_MIB);
  });
});
