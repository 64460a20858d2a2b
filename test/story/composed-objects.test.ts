/** What provider-opentofu and the API server are given. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isRecord, readPath } from '../../src/kube.ts';
import type { Settled } from '../../src/decision.ts';
import {
  applied,
  configurationOf,
  DNS_ON,
  find,
  input,
  moduleOf,
  route,
  schedule,
  settle,
  xr,
  type Scene,
} from '../fixtures/objects.ts';
import { blockOf, blocksOf } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const SCENE: Scene = { schedules: [schedule('nightly', BUCKET)], routes: [route('web', ['app.int.example.test'])] };
const EVERYTHING = input({
  ...DNS_ON,
  state: { lockfile: true, encryption: { previousSecretRef: { name: 'before', key: 'k' }, adoptUnencrypted: true } },
});
const first = settle(SCENE);
const SCENES: readonly { name: string; decision: Settled }[] = [
  { name: 'nothing', decision: settle({ input: input() }) },
  { name: 'a bucket and a record', decision: first },
  { name: 'every option', decision: settle({ ...SCENE, input: EVERYTHING }) },
  { name: 'protection off', decision: settle({ ...SCENE, xr: xr({ retainBuckets: false }) }) },
];

interface EnvironmentVariable {
  readonly name: string;
  readonly secretKeyRef: object;
}

function environmentOf(decision: Settled): readonly EnvironmentVariable[] {
  return readPath(find(decision, 'Workspace'), 'spec', 'forProvider', 'env') as readonly EnvironmentVariable[];
}

/** The schema of a vendored CRD, with unknown fields forbidden: the API server would prune them without a word. */
function validatorOf(file: string, version: string): ValidateFunction {
  const crd: unknown = parse(readFileSync(join(import.meta.dirname, '../../data/crds', file), 'utf8'));
  const versions = readPath(crd, 'spec', 'versions') as readonly unknown[];
  const schema = readPath(
    versions.find(candidate => readPath(candidate, 'name') === version),
    'schema',
    'openAPIV3Schema',
  );
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close);
    if (!isRecord(node)) return node;
    const closed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]));
    return isRecord(node.properties) && node.additionalProperties === undefined
      ? { ...closed, additionalProperties: false }
      : closed;
  };
  const closed = close(schema) as { properties: object };
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  return ajv.compile({ ...closed, properties: { ...closed.properties, metadata: { type: 'object' } } });
}

describe('field report 25: providerConfigRef and secretRef defaults', () => {
  it('names the ProviderConfig by kind and name, and it is the one composed', () => {
    expect(readPath(find(first, 'Workspace'), 'spec', 'providerConfigRef')).toEqual({
      kind: 'ProviderConfig',
      name: 'workspace',
    });
    expect(find(first, 'ProviderConfig', 'workspace')?.metadata.namespace).toBe('demo-a');
  });
});

describe('source hazard H8: a credentials file can overwrite the module', () => {
  it.each(SCENES)('puts nothing but the configuration into the ProviderConfig with $name', ({ decision }) => {
    expect(Object.keys(find(decision, 'ProviderConfig')?.spec as object)).toEqual(['configuration']);
    const parameters = readPath(find(decision, 'Workspace'), 'spec', 'forProvider');
    expect(parameters).not.toHaveProperty('entrypoint');
    expect(parameters).not.toHaveProperty('varFiles');
  });
});

describe('field report 26: env and var fields that the API prunes or that break init', () => {
  const validators: Readonly<Record<string, ValidateFunction>> = {
    Workspace: validatorOf('opentofu.m.upbound.io_workspaces.yaml', 'v1beta1'),
    ProviderConfig: validatorOf('opentofu.m.upbound.io_providerconfigs.yaml', 'v1beta1'),
    Usage: validatorOf('protection.crossplane.io_usages.yaml', 'v1beta1'),
  };

  it.each(SCENES)('has only fields that the CRDs know with $name', ({ decision }) => {
    for (const { object } of decision.resources.values()) {
      const validate = validators[object.kind];
      validate?.(object);
      expect(validate?.errors ?? 'no schema', `${object.kind} ${object.metadata.name}`).toBe('no schema');
      expect(validate).toBeDefined();
    }
  });

  it.each(SCENES)(
    'feeds each variable from a Secret, once, and none that steers tofu itself, with $name',
    ({ decision }) => {
      const names = environmentOf(decision).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter(name => name.startsWith('TF_') && !name.startsWith('TF_VAR_'))).toEqual([]);
      for (const variable of environmentOf(decision)) {
        expect(Object.keys(variable)).toEqual(['name', 'secretKeyRef']);
        expect(Object.keys(variable.secretKeyRef)).toEqual(['name', 'key']);
      }
      expect(readPath(find(decision, 'Workspace'), 'spec', 'forProvider')).not.toHaveProperty('vars');
    },
  );

  it('feeds exactly these', () => {
    expect(environmentOf(first)).toEqual(
      [
        ['AWS_ACCESS_KEY_ID', 'tofu-workspace-s3-credentials', 'AWS_ACCESS_KEY_ID'],
        ['AWS_SECRET_ACCESS_KEY', 'tofu-workspace-s3-credentials', 'AWS_SECRET_ACCESS_KEY'],
        ['B2_APPLICATION_KEY', 'tofu-workspace-b2-credentials', 'B2_APPLICATION_KEY'],
        ['B2_APPLICATION_KEY_ID', 'tofu-workspace-b2-credentials', 'B2_APPLICATION_KEY_ID'],
        ['NB_PAT', 'tofu-workspace-netbird-credentials', 'NB_PAT'],
        ['TF_VAR_state_passphrase', 'tofu-encryption', 'passphrase'],
      ].map(([name, secret, key]) => ({ name, secretKeyRef: { name: secret, key } })),
    );
  });
});

describe('further fact: an env Secret that is missing fails every reconcile', () => {
  it('reads no Secret of NetBird with DNS off', () => {
    expect(environmentOf(settle({ input: input() })).map(({ name }) => name)).not.toContain('NB_PAT');
  });
});

describe('field report 27: the bundled tofu is older than the docs you read', () => {
  it.each(SCENES)('uses literals and pins only, which OpenTofu 1.10 knows, with $name', ({ decision }) => {
    const module = moduleOf(decision);
    const values = [...module.matchAll(/prevent_destroy += (.*)$/gm)].map(([, value]) => value);
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter(value => value !== 'true' && value !== 'false')).toEqual([]);
    expect(blockOf(module, 'terraform')).toContain('  required_version = ">= 1.10.0"\n');
    const versions = [...module.matchAll(/^ {6}version = "(.*)"$/gm)].map(([, version]) => version);
    expect(versions.filter(version => !/^\d+\.\d+\.\d+$/.test(version ?? ''))).toEqual([]);
    expect(blocksOf(module, 'removed')).toEqual([]);
  });

  it.each(['>= 0.13.0', '~> 0.13', 'v0.13.0', ''])('refuses the provider version %j', version => {
    expect(() => settle({ input: input({ providers: { b2: { version } } }) })).toThrow(
      'providers.b2.version: expected an exact version',
    );
  });
});

describe('further fact: a second required_providers in the directory is an error', () => {
  it.each(SCENES)('has one in the module and none in the configuration with $name', ({ decision }) => {
    expect(moduleOf(decision).match(/required_providers/g)).toHaveLength(1);
    expect(configurationOf(decision)).not.toContain('required_providers');
  });
});

describe('field report 28: secrets in outputs, module text or logs', () => {
  it('flags every output that touches a key, and leaves the map of buckets readable', () => {
    const outputs = [...moduleOf(first).matchAll(/^output "(.*)" \{\n((?: {2}.*\n)*)\}$/gm)];
    const flagged = outputs.filter(([, , body]) => body?.includes('sensitive = true')).map(([, name]) => name);
    const secret = outputs.filter(([, , body]) => body?.includes('b2_application_key')).map(([, name]) => name);
    expect(secret).toEqual(['application_key_ids', 'application_keys']);
    expect(flagged).toEqual(secret);
    expect(outputs.map(([, name]) => name)).toEqual(['buckets', 'application_key_ids', 'application_keys', 'records']);
  });

  it('has a readable output even where nothing is wanted: without one OpenTofu takes the module for absent', () => {
    expect(blockOf(moduleOf(settle({ input: input() })), 'output "buckets"')).not.toContain('sensitive');
  });

  it('lets an application key reach its Secret and nothing else', () => {
    const marker = 'S3CR3T-MARKER';
    const observed = applied(first, { keys: { [BUCKET]: { id: `${marker}-id`, secret: `${marker}-key` } } });
    const { resources, ...rest } = settle({ ...SCENE, observed });
    const holding = [...resources.values()].filter(({ object }) => {
      const text = JSON.stringify(object);
      return text.includes(marker) || text.includes(btoa(`${marker}-key`)) || text.includes(btoa(`${marker}-id`));
    });
    expect(holding.map(({ object }) => `${object.kind} ${object.metadata.name}`)).toEqual([`Secret ${BUCKET}-b2`]);
    expect(JSON.stringify([...rest.conditions, rest.warnings, rest.status])).not.toContain(marker);
  });
});
