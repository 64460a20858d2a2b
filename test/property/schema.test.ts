/** Everything that any answer composes is valid for the API server, to the last field. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide.ts';
import type { Decision } from '../../src/decision.ts';
import { readPath, type KubeObject } from '../../src/kube.ts';
import { observe } from '../fixtures/objects.ts';
import { decideExample, listExamples } from '../golden/examples.ts';
import { compileMetadataSchema, compileObjectSchemas, compileStatusSchema } from './crd-schemas.ts';
import { anyObservation } from './requests.ts';
import { runOptions } from './run-options.ts';

const OBJECTS = compileObjectSchemas();
const METADATA = compileMetadataSchema();
const STATUS = compileStatusSchema();

/** They break `workspace select` or init of the provider (field report 26). */
const FORBIDDEN_ENVIRONMENT = ['TF_WORKSPACE', 'TF_PLUGIN_CACHE_DIR', 'TF_CLI_CONFIG_FILE'];

function checkDecision(decision: Decision): void {
  if (decision.kind === 'refused') return;
  for (const { object } of decision.resources.values()) checkObject(object, decision.kind);
  if (decision.status === undefined) return;
  STATUS(decision.status);
  expect(STATUS.errors ?? []).toEqual([]);
}

function checkObject(object: KubeObject, kind: Decision['kind']): void {
  const type = `${object.apiVersion} ${object.kind}`;
  const validate = OBJECTS.get(type);
  if (validate === undefined) throw new Error(`${type} is none of the types that are composed`);
  validate(object);
  expect(validate.errors ?? [], type).toEqual([]);
  METADATA(object.metadata);
  expect(METADATA.errors ?? [], `metadata of ${type}`).toEqual([]);
  // Core refuses nothing here, but to desire status is to fight its owner.
  expect(Object.keys(object), type).not.toContain('status');
  // A projection repeats what is there, whoever wrote it.
  if (kind === 'settled') expect(findHollow(object, type), type).toEqual([]);
  if (object.kind === 'Workspace') checkEnvironment(object);
  if (object.kind === 'Usage' && readPath(object, 'spec', 'replayDeletion') !== undefined)
    expect(readPath(object, 'spec', 'by'), 'replayDeletion needs by').toBeDefined();
}

/** Paths of `{}`, `[]`, null and undefined: controllers that default them fight with us (field report 14). */
function findHollow(value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return [path];
  if (typeof value !== 'object') return [];
  const entries = Object.entries(value);
  return entries.length === 0 ? [path] : entries.flatMap(([key, entry]) => findHollow(entry, `${path}.${key}`));
}

function checkEnvironment(workspace: KubeObject): void {
  const environment = readPath(workspace, 'spec', 'forProvider', 'env');
  const names = Array.isArray(environment) ? environment.map(variable => readPath(variable, 'name')) : [];
  expect(new Set(names).size, 'environment names are unique').toBe(names.length);
  expect(names.filter(name => FORBIDDEN_ENVIRONMENT.includes(String(name)))).toEqual([]);
  for (const variable of Array.isArray(environment) ? environment : [])
    expect(Object.keys(variable as object).sort(), 'secrets only, by reference').toEqual(['name', 'secretKeyRef']);
}

describe('composed objects and status', () => {
  it('are valid in every answer', () => {
    fc.assert(
      fc.property(anyObservation, observation => {
        checkDecision(decide(observation));
      }),
      runOptions(250),
    );
  }, 120_000);

  it.each(listExamples())('are valid in examples/%s', name => {
    checkDecision(decideExample(name));
  });
});

describe('the validators', () => {
  const decision = decide(observe());
  const workspace = decision.kind === 'settled' ? decision.resources.get('tofu-workspace')?.object : undefined;

  it('accept a Workspace, and refuse it with a field that the CRD does not have', () => {
    const validate = OBJECTS.get('opentofu.m.upbound.io/v1beta1 Workspace');
    expect(validate?.(workspace)).toBe(true);
    expect(validate?.({ ...workspace, spec: { ...(workspace?.['spec'] as object), varMap: {} } })).toBe(false);
  });

  it('refuse a status with a field that the XRD does not have', () => {
    expect(STATUS({ bucketCount: 0 })).toBe(true);
    expect(STATUS({ bucketCount: 0, note: 'x' })).toBe(false);
    expect(STATUS({ buckets: [{ name: 'bucket-1', state: 'Lost' }] })).toBe(false);
  });
});
