import { describe, expect, it } from 'vitest';
import { composeProjection, isOurs } from './projection.ts';

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'bucket-b2',
    namespace: 'demo-a',
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['f'],
    ownerReferences: [{ name: 'workspace' }],
    managedFields: [{ manager: 'm' }],
    labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true', 'crossplane.io/composite': 'workspace', other: 'x' },
    annotations: { 'crossplane.io/external-name': 'e', 'crossplane.io/composition-resource-name': 'k', other: 'y' },
  },
  type: 'Opaque',
  data: { a: 'Yg==' },
  status: { conditions: [] },
};

it('a projection holds identity, our labels and annotations, and the content: what a server-side apply may carry', () => {
  expect(composeProjection(SECRET)).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'bucket-b2',
      namespace: 'demo-a',
      labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true' },
      annotations: { 'crossplane.io/external-name': 'e' },
    },
    type: 'Opaque',
    data: { a: 'Yg==' },
  });
});

describe('ours, told without knowing what is wanted', () => {
  const usage = (name: string, by: string): unknown => ({
    apiVersion: 'protection.crossplane.io/v1beta1',
    kind: 'Usage',
    metadata: { name, namespace: 'demo-a' },
    spec: { by: { resourceRef: { name: by } } },
  });
  const bare = (kind: string, name: string, namespace = 'demo-a'): unknown => ({
    apiVersion: 'opentofu.m.upbound.io/v1beta1',
    kind,
    metadata: { name, namespace },
  });
  const cases: { name: string; object: unknown; ours: boolean }[] = [
    { name: 'carries our label', object: SECRET, ours: true },
    { name: 'the Workspace of an older Composition', object: bare('Workspace', 'workspace'), ours: true },
    { name: 'its ProviderConfig', object: bare('ProviderConfig', 'workspace'), ours: true },
    { name: 'its Usage', object: usage('workspace-providerconfig', 'workspace'), ours: true },
    { name: "a Usage of somebody else's", object: usage('workspace-providerconfig', 'other'), ours: false },
    { name: 'another Workspace', object: bare('Workspace', 'other'), ours: false },
    { name: 'a Workspace elsewhere', object: bare('Workspace', 'workspace', 'demo-b'), ours: false },
  ];
  it.each(cases)('$name: $ours', ({ object, ours }) => {
    expect(isOurs(object as Parameters<typeof isOurs>[0], 'demo-a', 'workspace')).toBe(ours);
  });
});
