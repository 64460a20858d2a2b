import { defineConfig } from 'vitest/config';

const part = process.env.E2E_PART;
if (part === undefined) throw new Error('E2E_PART is not set: run `make e2e`');

/** In a cluster that test/e2e/run.sh has started or been given, which runs this once for each folder of the suite. */
export default defineConfig({
  test: {
    include: [`test/e2e/suite/${part}/**/*.test.ts`],
    // Tests wait for conditions with limits of their own, which say what did not come.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    pool: 'threads',
    // They wait far more than they work. Those that disturb each other run one after the other.
    maxWorkers: part === 'alone' ? 1 : 12,
    fileParallelism: part !== 'alone',
    // The second for what test/e2e/run.sh says last.
    reporters: ['verbose', ['json', { outputFile: `build/e2e-${part}.json` }]],
  },
});
