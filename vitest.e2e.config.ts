import { defineConfig } from 'vitest/config';

/**
 * In a cluster that test/e2e/run.sh has started or been given, which runs this once for each folder of the suite:
 * `make e2e`.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/suite/**/*.test.ts'],
    passWithNoTests: true,
    // Tests wait for conditions with limits of their own, which say what did not come.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'threads',
    // They wait far more than they work. Those that disturb each other lie in test/e2e/suite/alone.
    maxWorkers: process.env.E2E_ALONE === undefined ? 12 : 1,
    fileParallelism: process.env.E2E_ALONE === undefined,
    reporters: ['verbose'],
  },
});
