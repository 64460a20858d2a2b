import { defineConfig } from 'vitest/config';

/** Against the real tools, built by `make tools`: `npm run conformance`. Needs dist/, so prefer `make conformance`. */
export default defineConfig({
  test: {
    include: ['test/conformance/**/*.test.ts'],
    // On a busy machine a run of OpenTofu takes many times what it does alone.
    testTimeout: 600_000,
    hookTimeout: 60_000,
    // Every test is a process of its own already.
    fileParallelism: false,
    // Of the tests that allow it, in one file.
    maxConcurrency: 2,
  },
});
