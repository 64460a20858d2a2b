import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../test/fixtures/reason-of.ts';
import { xr } from '../../test/fixtures/objects.ts';
import { parseInput } from '../api/input.ts';
import { parseTofuWorkspace } from '../api/tofu-workspace.ts';
import { findBucketClaims, readConfiguredState } from '../cluster/module-text.ts';
import {
  refuseChangedSources,
  refuseChangedState,
  refuseUncoveredBuckets,
  type ObservedState,
} from './existing-state.ts';
import type { StateEncryption } from './intent.ts';
import { deriveStateAddress, deriveStateBackend } from './state-address.ts';

const INPUT = parseInput(undefined);
const ENCRYPTION: StateEncryption = { keyProviderName: 'passphrase', rotating: false, adoptUnencrypted: false };
const ADDRESS =
  'https://fsn1.your-objectstorage.com/crossplane-talos-workspaces-995867de/demo-a/workspace/terraform.tfstate';

/** A ProviderConfig's text that keeps state at {@link ADDRESS}, with some lines replaced. */
function configuration(lines: Readonly<Record<string, string>> = {}, encryption = ''): string {
  const attributes = {
    bucket: '"crossplane-talos-workspaces-995867de"',
    key: '"terraform.tfstate"',
    workspace_key_prefix: '"demo-a"',
    endpoints: '{ s3 = "https://fsn1.your-objectstorage.com/" }',
    ...lines,
  };
  const body = Object.entries(attributes).map(([name, value]) => `    ${name} = ${value}`);
  return ['terraform {', '  backend "s3" {', ...body, '  }', encryption, '}'].join('\n');
}

function refused(observed: Partial<ObservedState>, spec: Readonly<Record<string, unknown>> = {}): string | undefined {
  const parsed = parseTofuWorkspace(xr(spec));
  const wanted = { state: deriveStateBackend(INPUT, parsed), encryption: ENCRYPTION };
  return reasonOf(() => {
    refuseChangedState(parsed, wanted, {
      configured: undefined,
      workspace: undefined,
      annotated: undefined,
      elsewhere: undefined,
      ...observed,
    });
  });
}

describe('the state address', () => {
  it('names endpoint, bucket, prefix, workspace and key', () => {
    expect(deriveStateAddress(deriveStateBackend(INPUT, parseTofuWorkspace(xr())))).toBe(ADDRESS);
  });

  const cases: { name: string; observed: Partial<ObservedState>; reason: string | undefined }[] = [
    { name: 'nothing observed', observed: {}, reason: undefined },
    { name: 'the same', observed: { configured: readConfiguredState(configuration()) }, reason: undefined },
    {
      name: 'the deprecated endpoint argument says the same',
      observed: {
        configured: readConfiguredState(
          configuration({ endpoints: '{}', endpoint: '"https://fsn1.your-objectstorage.com"' }).replace(
            '    endpoints = {}\n',
            '',
          ),
        ),
      },
      reason: undefined,
    },
    {
      name: 'another bucket',
      observed: { configured: readConfiguredState(configuration({ bucket: '"other"' })) },
      reason: 'StateAddressChanged',
    },
    {
      name: 'another key',
      observed: { configured: readConfiguredState(configuration({ key: '"k"' })) },
      reason: 'StateAddressChanged',
    },
    {
      name: 'another prefix',
      observed: { configured: readConfiguredState(configuration({ workspace_key_prefix: '"demo"' })) },
      reason: 'StateAddressChanged',
    },
    {
      name: 'another endpoint',
      observed: { configured: readConfiguredState(configuration({ endpoints: '{ s3 = "https://b" }' })) },
      reason: 'StateAddressChanged',
    },
    {
      name: 'no literal',
      observed: { configured: readConfiguredState(configuration({ bucket: 'var.bucket' })) },
      reason: 'StateAddressChanged',
    },
    {
      name: 'no s3 backend',
      observed: { configured: readConfiguredState('terraform { backend "local" {} }') },
      reason: 'StateAddressChanged',
    },
    {
      name: 'another OpenTofu workspace',
      observed: { configured: readConfiguredState(configuration()), workspace: 'old' },
      reason: 'StateAddressChanged',
    },
    {
      name: 'no ProviderConfig, the Workspace says the same',
      observed: { workspace: 'workspace', annotated: ADDRESS },
      reason: undefined,
    },
    {
      name: 'no ProviderConfig, the Workspace says another',
      observed: { workspace: 'workspace', annotated: 'https://x' },
      reason: 'StateAddressChanged',
    },
    {
      name: "an older Composition's Workspace that another object configures",
      observed: {
        configured: readConfiguredState(configuration()),
        workspace: 'workspace',
        elsewhere: 'ClusterProviderConfig default',
      },
      reason: 'StateAddressChanged',
    },
    {
      name: 'our Workspace, given another configuration by hand: it says where its state is',
      observed: { workspace: 'workspace', annotated: ADDRESS, elsewhere: 'ClusterProviderConfig default' },
      reason: undefined,
    },
    {
      name: 'the key provider renamed',
      observed: {
        configured: readConfiguredState(configuration({}, '  encryption {\n    key_provider "pbkdf2" "old" {}\n  }')),
      },
      reason: 'KeyProviderRenamed',
    },
    {
      name: 'the same key provider beside another',
      observed: {
        configured: readConfiguredState(
          configuration(
            {},
            '  encryption {\n    key_provider "pbkdf2" "old" {}\n    key_provider "pbkdf2" "passphrase" {}\n  }',
          ),
        ),
      },
      reason: undefined,
    },
  ];
  it.each(cases)('$name: $reason', ({ observed, reason }) => {
    expect(refused(observed)).toBe(reason);
  });

  it('may change once a human says that the state is there, at exactly that address', () => {
    const observed = { configured: readConfiguredState(configuration({ bucket: '"other"' })) };
    expect(refused(observed, { stateMigratedTo: ADDRESS })).toBeUndefined();
    expect(refused(observed, { stateMigratedTo: `${ADDRESS}x` })).toBe('StateAddressChanged');
  });
});

describe('provider sources', () => {
  const refuseSource = (observed: string, spec: Readonly<Record<string, unknown>> = {}): string | undefined => {
    const parsed = parseTofuWorkspace(xr(spec));
    const sources = { wanted: new Map([['b2', 'Backblaze/b2']]), observed: new Map([['b2', observed]]) };
    return reasonOf(() => {
      refuseChangedSources(parsed, deriveStateBackend(INPUT, parsed), sources);
    });
  };

  it('are compared as OpenTofu reads them', () => {
    expect(refuseSource('registry.opentofu.org/backblaze/b2')).toBeUndefined();
    expect(refuseSource('someone/b2')).toBe('ProviderSourceChanged');
    expect(refuseSource('someone/b2', { stateMigratedTo: ADDRESS })).toBeUndefined();
  });
});

describe('a module that was not written by us', () => {
  const OLD = 'resource "b2_bucket" "b0" {\n  bucket_name = "Bucket-0"\n}\n# resource "b2_bucket" "commented" {}\n';
  const MANY = 'resource "b2_bucket" "b" {\n  for_each = toset(["bucket-1", "bucket-2"])\n}\n';
  const move = (address: string, bucket: string): unknown => ({ movedFrom: [{ address, bucket }] });
  const cases: { name: string; module: string | undefined; spec: unknown; reason: string | undefined }[] = [
    { name: 'no buckets', module: 'locals {}', spec: {}, reason: undefined },
    { name: 'a bucket that nothing covers', module: OLD, spec: {}, reason: 'ForeignModule' },
    { name: 'a bucket that is covered', module: OLD, spec: move('b2_bucket.b0', 'Bucket-0'), reason: undefined },
    { name: 'another bucket is covered', module: OLD, spec: move('b2_bucket.b1', 'Bucket-0'), reason: 'ForeignModule' },
    {
      name: 'only its key is covered',
      module: OLD,
      spec: move('b2_application_key.b0', 'Bucket-0'),
      reason: 'ForeignModule',
    },
    {
      name: 'covered under another name',
      module: OLD,
      spec: move('b2_bucket.b0', 'bucket-1'),
      reason: 'ForeignModule',
    },
    {
      name: 'covered in another spelling',
      module: OLD,
      spec: move('b2_bucket.b0', 'bucket-0'),
      reason: 'ForeignModule',
    },
    { name: 'a module call', module: 'module "m" {\n}\n', spec: {}, reason: 'ForeignModule' },
    {
      name: 'a module call that is covered',
      module: 'module "m" {\n}\n',
      spec: move('module.m.b2_bucket.x', 'bucket-1'),
      reason: undefined,
    },
    { name: 'nothing to read', module: undefined, spec: {}, reason: 'ForeignModule' },
    { name: 'text that breaks off', module: 'locals {', spec: {}, reason: 'ForeignModule' },
    {
      name: 'text that breaks off, with a bucket that is covered',
      module: `${OLD}locals {`,
      spec: move('b2_bucket.b0', 'Bucket-0'),
      reason: 'ForeignModule',
    },
    { name: 'a block with for_each', module: MANY, spec: move('b2_bucket.b', 'bucket-1'), reason: 'ForeignModule' },
    {
      name: 'one instance of a block with for_each',
      module: MANY,
      spec: move('b2_bucket.b["bucket-1"]', 'bucket-1'),
      reason: 'ForeignModule',
    },
    {
      name: 'an index that the plain block does not have',
      module: OLD,
      spec: move('b2_bucket.b0[0]', 'Bucket-0'),
      reason: 'ForeignModule',
    },
    {
      name: 'only a key in the module call',
      module: 'module "m" {\n}\n',
      spec: move('module.m.b2_application_key.x', 'bucket-1'),
      reason: 'ForeignModule',
    },
    {
      name: 'nothing to read, and only a key',
      module: undefined,
      spec: move('b2_application_key.x', 'bucket-1'),
      reason: 'ForeignModule',
    },
    {
      name: "nothing to read, and a human's word",
      module: undefined,
      spec: move('b2_bucket.x', 'bucket-1'),
      reason: undefined,
    },
  ];
  it.each(cases)('$name: $reason', ({ module, spec, reason }) => {
    const parsed = parseTofuWorkspace(xr(spec as Record<string, unknown>));
    expect(
      reasonOf(() => {
        refuseUncoveredBuckets(parsed, findBucketClaims(module));
      }),
    ).toBe(reason);
  });
});
