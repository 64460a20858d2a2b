import { defineConfig } from 'vitest/config';

/** infra/ and the conventions between its trees: what infra/<layer>/check.sh and `make infra-check` run. */
export default defineConfig({
  test: {
    include: ['test/infra/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Each test runs processes of its own.
    fileParallelism: false,
  },
});
