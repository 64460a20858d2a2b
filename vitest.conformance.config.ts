import { defineConfig } from 'vitest/config';

/** Against the real tools, built by `make tools`: `npm run conformance`. Needs dist/, so prefer `make conformance`. */
export default defineConfig({
  test: {
    include: ['test/conformance/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Every test is a process of its own already.
    fileParallelism: false,
  },
});
