import { defineConfig } from 'vitest/config';

/** The stand-in for provider-opentofu against the real etcd, kube-apiserver and tofu: `make provider-opentofu`. */
export default defineConfig({
  test: {
    include: ['test/e2e/provider-opentofu/suite/**/*.test.ts'],
    globalSetup: 'test/e2e/provider-opentofu/suite/control-plane.ts',
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
