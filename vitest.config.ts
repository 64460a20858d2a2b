import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/conformance/**', 'test/packages/**', 'test/infra/**', 'node_modules/**'],
    testTimeout: 30_000,
  },
});
