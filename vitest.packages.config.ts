import { defineConfig } from 'vitest/config';

/** On real images and packages, which test/packages/check.sh builds and runs this on: `make packages-check`. */
export default defineConfig({
  test: {
    include: ['test/packages/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
