import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../test/fixtures/reason-of.ts';
import type { KubeObject } from '../kube.ts';
import { assignKeys, KEY, refuseStrangers } from './keys.ts';

function object(kind: string, name: string, more: { apiVersion?: string; namespace?: string } = {}): KubeObject {
  const { apiVersion = 'opentofu.m.upbound.io/v1beta1', namespace = 'demo-a' } = more;
  return { apiVersion, kind, metadata: { name, namespace } };
}

const OURS = [{ key: KEY.workspace, object: object('Workspace', 'workspace') }];
const NONE = new Map<string, KubeObject>();

// The golden list: core deletes what stands under a key that is not desired any more (hazard 1).
it('keys of a new XR are what they were', () => {
  expect([
    KEY.workspace,
    KEY.providerConfig,
    KEY.providerConfigUsage,
    KEY.trackedUse,
    KEY.secretUsage('tofu-encryption'),
    KEY.credentials('bucket-b2'),
  ]).toEqual([
    'tofu-workspace',
    'tofu-provider-config',
    'tofu-usage-provider-config',
    'tofu-usage-provider-config-usage',
    'tofu-usage-secret-tofu-encryption',
    'tofu-credentials-bucket-b2',
  ]);
});

describe('an object that exists', () => {
  it('keeps the key it stands under, whatever its version', () => {
    const observed = new Map([
      ['workspace', object('Workspace', 'workspace', { apiVersion: 'opentofu.m.upbound.io/v1' })],
    ]);
    expect([...assignKeys(OURS, observed, NONE).keys()]).toEqual(['workspace']);
  });

  it('under two keys is doubt: whichever is dropped, core deletes it', () => {
    const twin = object('Workspace', 'workspace');
    expect(
      reasonOf(() =>
        assignKeys(
          OURS,
          new Map([
            ['a', twin],
            ['b', twin],
          ]),
          NONE,
        ),
      ),
    ).toBe('OneObjectTwoKeys');
  });

  it('of another identity under our key is doubt: core would write into it', () => {
    const observed = new Map([[KEY.workspace, object('Workspace', 'workspace-x7z')]]);
    expect(reasonOf(() => assignKeys(OURS, observed, NONE))).toBe('KeyOccupied');
  });
});

describe('an earlier step that desires', () => {
  const cases: { name: string; key: string; desired: KubeObject; reason: string | undefined }[] = [
    {
      name: 'our key',
      key: KEY.workspace,
      desired: object('ConfigMap', 'x', { apiVersion: 'v1' }),
      reason: 'DesiredByEarlierStep',
    },
    {
      name: 'our object under another key',
      key: 'other',
      desired: object('Workspace', 'workspace'),
      reason: 'DesiredByEarlierStep',
    },
    {
      name: 'our object without a namespace, which core puts into ours',
      key: 'other',
      desired: { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'Workspace', metadata: { name: 'workspace' } },
      reason: 'DesiredByEarlierStep',
    },
    { name: 'something else', key: 'other', desired: object('Workspace', 'another'), reason: undefined },
  ];
  it.each(cases)('$name', ({ key, desired, reason }) => {
    expect(reasonOf(() => assignKeys(OURS, NONE, new Map([[key, desired]])))).toBe(reason);
  });
});

describe('a Workspace of another name', () => {
  const observed = new Map([['old', object('Workspace', 'workspace-x7z')]]);

  it('is doubt: core would delete it, and its destroy would run', () => {
    expect(
      reasonOf(() => {
        refuseStrangers(['old'], observed, NONE);
      }),
    ).toBe('OtherNameComposed');
  });

  it('is none of ours where an earlier step desires it', () => {
    expect(
      reasonOf(() => {
        refuseStrangers(['old'], observed, observed);
      }),
    ).toBeUndefined();
  });
});
