import { defineConfig } from 'vitest/config';

/** Pages in the real Chromium, which must be installed: `make browser-check`, which builds the playground first. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // On a busy machine a browser takes many times what it does alone.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One browser at a time.
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
