import { describe, expect, it } from 'vitest';
import { parseKubeObject } from '../kube.ts';
import { composeUsages, findReadSecrets } from './usage.ts';

const WORKSPACE = parseKubeObject({
  apiVersion: 'opentofu.m.upbound.io/v1beta1',
  kind: 'Workspace',
  metadata: { name: 'workspace', namespace: 'demo-a' },
  spec: {
    forProvider: {
      env: [
        { name: 'A', secretKeyRef: { name: 'b2', key: 'id' } },
        { name: 'B', secretKeyRef: { name: 'b2', key: 'secret' } },
        { name: 'C', secretKeyRef: { name: 'tofu-encryption', key: 'p' } },
      ],
      varFiles: [{ source: 'SecretKey', secretKeyRef: { name: 'vars', key: 'f' } }],
    },
    writeConnectionSecretToRef: { name: 'workspace-outputs' },
  },
});
const PROVIDER_CONFIG = parseKubeObject({
  apiVersion: 'opentofu.m.upbound.io/v1beta1',
  kind: 'ProviderConfig',
  metadata: { name: 'workspace', namespace: 'demo-a' },
  spec: { credentials: [{ source: 'Secret', secretRef: { name: 's3', namespace: 'demo-a', key: 'k' } }] },
});

describe('Secrets that are read', () => {
  it('are found wherever they are referenced, once each; one that is written is not read', () => {
    expect([...findReadSecrets(WORKSPACE, PROVIDER_CONFIG)]).toEqual(['b2', 's3', 'tofu-encryption', 'vars']);
  });
});

describe('Usages', () => {
  const usages = composeUsages(WORKSPACE, PROVIDER_CONFIG, 'uid-1').map(({ object }) => object);

  it('hold the ProviderConfig and each Secret by name until the Workspace is gone', () => {
    expect(usages.map(({ metadata, spec }) => ({ name: metadata.name, namespace: metadata.namespace, spec }))).toEqual(
      [
        {
          name: 'workspace-providerconfig',
          of: ['opentofu.m.upbound.io/v1beta1', 'ProviderConfig', 'workspace'],
          replayDeletion: true,
        },
        {
          name: 'workspace-providerconfigusage',
          of: ['opentofu.m.upbound.io/v1beta1', 'ProviderConfigUsage', 'uid-1'],
          replayDeletion: true,
        },
        { name: 'workspace-secret-b2', of: ['v1', 'Secret', 'b2'] },
        { name: 'workspace-secret-s3', of: ['v1', 'Secret', 's3'] },
        { name: 'workspace-secret-tofu-encryption', of: ['v1', 'Secret', 'tofu-encryption'] },
        { name: 'workspace-secret-vars', of: ['v1', 'Secret', 'vars'] },
      ].map(({ name, of: [apiVersion, kind, used], ...replay }) => ({
        name,
        namespace: 'demo-a',
        spec: {
          of: { apiVersion, kind, resourceRef: { name: used } },
          by: { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'Workspace', resourceRef: { name: 'workspace' } },
          ...replay,
        },
      })),
    );
  });

  it('hold no ProviderConfigUsage while there is no Workspace that it could be named by', () => {
    const names = composeUsages(WORKSPACE, PROVIDER_CONFIG, undefined).map(({ object }) => object.metadata.name);
    expect(names).not.toContain('workspace-providerconfigusage');
    expect(names).toContain('workspace-providerconfig');
  });
});
