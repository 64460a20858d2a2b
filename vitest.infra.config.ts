import { defineConfig } from 'vitest/config';

/** The layers of infra/, by the real tools: `make infra-check`, or the check of one layer, such as infra/tofu/check.sh. */
export default defineConfig({
  test: {
    include: ['test/infra/**/*.test.ts'],
    // On a busy machine a run of a tool takes many times what it does alone.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
