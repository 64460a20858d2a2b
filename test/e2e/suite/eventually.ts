import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 500;

/**
 * Waits for a condition: asks until the check gives a value, and gives it back.
 *
 * @param what for the message when it does not come
 * @param check undefined, or an error, where it is not so yet
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
  seconds = 300,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  let last: unknown;
  for (;;) {
    try {
      const found = await check();
      if (found !== undefined) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}${lastly(last)}`, { cause: last });
    await sleep(INTERVAL_MS);
  }
}

function lastly(error: unknown): string {
  return error instanceof Error ? `; at last: ${error.message}` : '';
}

/** For claims that something does not happen: watches for so long that it stays so. */
export async function steadily(what: string, check: () => Promise<boolean>, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline) {
    if (!(await check())) throw new Error(`did not stay so for ${seconds} s: ${what}`);
    await sleep(INTERVAL_MS);
  }
}
