import { defineConfig } from 'vitest/config';

/** The documentation: links, excerpts, the built site, and every command in it. `make docs-check` runs this. */
export default defineConfig({
  test: {
    include: ['test/docs/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The commands of one document run one after the other, as a reader would type them.
    fileParallelism: false,
  },
});
