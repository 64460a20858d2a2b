import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [
      'test/browser/**',
      'test/conformance/**',
      'test/docs/**',
      'test/e2e/**/suite/**',
      'test/infra/**',
      'test/packages/**',
      'node_modules/**',
    ],
    testTimeout: 30_000,
  },
});
