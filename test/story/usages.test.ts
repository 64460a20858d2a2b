/** Usages: what the Workspace needs for its destroy stays until that is done. */
import { describe, expect, it } from 'vitest';
import type { Settled } from '../../src/decision.ts';
import { readPath, type KubeObject } from '../../src/kube.ts';
import type { ObservedObject } from '../../src/observation.ts';
import { applied, DNS_ON, input, route, schedule, settle, type Scene } from '../fixtures/objects.ts';

const TRACKED_USE = 'workspace-providerconfigusage';

const SCENE: Scene = {
  schedules: [schedule('nightly', 'demo-a-backups')],
  routes: [route('web', ['app.int.example.test'])],
};
const first = settle(SCENE);
const BY = { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'Workspace', resourceRef: { name: 'workspace' } };

function usagesOf(decision: Settled): readonly KubeObject[] {
  return [...decision.resources.values()].map(({ object }) => object).filter(({ kind }) => kind === 'Usage');
}

function usedSecrets(scene: Scene): readonly unknown[] {
  return usagesOf(settle(scene))
    .filter(usage => readPath(usage, 'spec', 'of', 'kind') === 'Secret')
    .map(usage => readPath(usage, 'spec', 'of', 'resourceRef', 'name'));
}

function secretUsage(name: string): object {
  return {
    apiVersion: 'protection.crossplane.io/v1beta1',
    kind: 'Usage',
    metadata: {
      name: `workspace-secret-${name}`,
      namespace: 'demo-a',
      labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true' },
    },
    spec: { of: { apiVersion: 'v1', kind: 'Secret', resourceRef: { name } }, by: BY },
  };
}

describe('field report 11: ProviderConfig or Secret goes first and the namespace hangs', () => {
  it('has one Usage per thing that the Workspace needs, by the Workspace, each Secret once', () => {
    expect(usagesOf(first)).toEqual([
      {
        apiVersion: 'protection.crossplane.io/v1beta1',
        kind: 'Usage',
        metadata: {
          name: 'workspace-providerconfig',
          namespace: 'demo-a',
          labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true' },
        },
        spec: {
          of: {
            apiVersion: 'opentofu.m.upbound.io/v1beta1',
            kind: 'ProviderConfig',
            resourceRef: { name: 'workspace' },
          },
          by: BY,
          replayDeletion: true,
        },
      },
      secretUsage('tofu-encryption'),
      secretUsage('tofu-workspace-b2-credentials'),
      secretUsage('tofu-workspace-netbird-credentials'),
      secretUsage('tofu-workspace-s3-credentials'),
    ]);
  });

  it.each([
    {
      name: 'DNS off',
      fields: {},
      secrets: ['tofu-encryption', 'tofu-workspace-b2-credentials', 'tofu-workspace-s3-credentials'],
    },
    {
      name: 'a previous passphrase',
      fields: { state: { encryption: { previousSecretRef: { name: 'before', key: 'k' } } } },
      secrets: ['before', 'tofu-encryption', 'tofu-workspace-b2-credentials', 'tofu-workspace-s3-credentials'],
    },
    {
      name: 'one Secret for everything',
      fields: {
        state: { credentialsSecretRef: { name: 'all' }, encryption: { secretRef: { name: 'all' } } },
        backup: { credentialsSecretRef: { name: 'all' } },
      },
      secrets: ['all'],
    },
  ])('covers the Secrets of an Input with $name', ({ fields, secrets }) => {
    expect(usedSecrets({ input: input(fields) })).toEqual(secrets);
  });
});

describe('field report 12: a Usage selector protects only one user', () => {
  it('names both sides', () => {
    expect(JSON.stringify(usagesOf(first))).not.toContain('resourceSelector');
    for (const usage of usagesOf(first))
      for (const side of ['of', 'by'])
        expect(Object.keys(readPath(usage, 'spec', side) as object)).toEqual(['apiVersion', 'kind', 'resourceRef']);
  });
});

describe('field report 14: replayDeletion surprises, and an empty selector that loops', () => {
  it('replays a deletion only together with by', () => {
    const replaying = usagesOf(first).filter(usage => readPath(usage, 'spec', 'replayDeletion') !== undefined);
    expect(replaying.map(usage => readPath(usage, 'spec', 'by'))).toEqual([BY]);
  });

  it('writes no empty map, empty list or null anywhere', () => {
    const empty: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (value === null || value === undefined) empty.push(path);
      else if (typeof value === 'object') {
        if (Object.keys(value).length === 0) empty.push(path);
        for (const [key, entry] of Object.entries(value)) walk(entry, `${path}.${key}`);
      }
    };
    const keys = { 'demo-a-backups': { id: 'i', secret: 's' } };
    for (const decision of [settle({}), first, settle({ ...SCENE, observed: applied(first, { keys }) })])
      for (const [key, { object }] of decision.resources) walk(object, key);
    expect(empty).toEqual([]);
  });
});

describe('hazard 11: replayDeletion on Secrets that are not ours', () => {
  it('replays the deletion of the ProviderConfig alone: what is delivered could be wanted again', () => {
    const replaying = usagesOf(first).filter(usage => readPath(usage, 'spec', 'replayDeletion') === true);
    expect(replaying.map(usage => readPath(usage, 'spec', 'of', 'kind'))).toEqual(['ProviderConfig']);
  });
});

describe('field report 15: Usages that flicker or crash the function', () => {
  const outputs = { buckets: { 'demo-a-backups': 'id' } };
  const pick = (observed: ReadonlyMap<string, ObservedObject>, kind: string): ReadonlyMap<string, ObservedObject> =>
    new Map([...observed].filter(([, { object }]) => readPath(object, 'kind') === kind));
  const deleting = new Map(
    [...applied(first, { outputs })].map(([key, { object, connectionDetails }]) => {
      const { metadata, ...rest } = object as KubeObject;
      return [
        key,
        {
          object: { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-11-01T08:00:00Z' } },
          connectionDetails,
        },
      ];
    }),
  );

  it.each([
    { name: 'nothing', observed: new Map<string, ObservedObject>() },
    { name: 'a Workspace that is not ready', observed: applied(first, { failure: 'init failed' }) },
    { name: 'a ready Workspace', observed: applied(first, { outputs }) },
    { name: 'only Usages', observed: pick(applied(first), 'Usage') },
    { name: 'only the Workspace', observed: pick(applied(first, { outputs }), 'Workspace') },
    { name: 'everything being deleted', observed: deleting },
  ])('are the same where $name is observed', ({ observed }) => {
    // The one of the ProviderConfigUsage is there with the Workspace, whose uid names it.
    const usages = usagesOf(settle({ ...SCENE, observed })).filter(({ metadata }) => metadata.name !== TRACKED_USE);
    expect(usages).toEqual(usagesOf(first));
    expect(usages.map(({ metadata }) => metadata.name)).toEqual([
      'workspace-providerconfig',
      'workspace-secret-tofu-encryption',
      'workspace-secret-tofu-workspace-b2-credentials',
      'workspace-secret-tofu-workspace-netbird-credentials',
      'workspace-secret-tofu-workspace-s3-credentials',
    ]);
  });
});

describe('a namespace that is deleted takes the ProviderConfigUsage, and no new one can be made in it', () => {
  const usageOf = (scene: Scene): KubeObject | undefined =>
    usagesOf(settle({ ...SCENE, ...scene })).find(({ metadata }) => metadata.name === TRACKED_USE);

  it('so a Usage holds it, by the uid that names it, from the moment that the Workspace is there', () => {
    expect(usageOf({ observed: applied(first) })?.['spec']).toEqual({
      of: {
        apiVersion: 'opentofu.m.upbound.io/v1beta1',
        kind: 'ProviderConfigUsage',
        resourceRef: { name: 'uid-workspace' },
      },
      by: BY,
      replayDeletion: true,
    });
  });

  it('whatever state the Workspace is in, also when it is being deleted', () => {
    const failing = applied(first, { failure: 'init failed' });
    expect(usageOf({ observed: failing })).toEqual(usageOf({ observed: applied(first) }));
  });

  it('and there is none while there is no Workspace', () => {
    expect(usageOf({})).toBeUndefined();
  });
});

describe('field report 44: too many composed objects trip the breaker', () => {
  const many = (count: number, bucket: (index: number) => string): Scene => ({
    input: input(DNS_ON),
    schedules: Array.from({ length: count }, (_, index) => schedule(`s-${index}`, bucket(index))),
    routes: Array.from({ length: count }, (_, index) => route(`r-${index}`, [`h-${index}.int.example.test`])),
  });

  it('composes one ProviderConfig, one Workspace and one Usage per thing used, however many Schedules and routes', () => {
    const { resources } = settle(many(60, index => `bucket-${index}`));
    expect([...resources.values()].map(({ object }) => object.kind).sort()).toEqual([
      'ProviderConfig',
      ...Array.from({ length: 5 }, () => 'Usage'),
      'Workspace',
    ]);
  });

  it('adds one Secret per bucket, not per Schedule', () => {
    const scene = many(60, index => `bucket-${index % 3}`);
    const keys = Object.fromEntries([0, 1, 2].map(index => [`bucket-${index}`, { id: 'i', secret: 's' }]));
    const { resources } = settle({ ...scene, observed: applied(settle(scene), { keys }) });
    expect(resources.size).toBe(1 + 1 + 6 + 3);
  });
});
