/** Validators of the real CRDs, as strict as the API server is when it is told to refuse unknown fields. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { isRecord, readPath } from '../../src/kube.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A Secret as we compose it; core's own types have no CRD. */
const SECRET: AnySchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata', 'type', 'data'],
  properties: {
    apiVersion: { const: 'v1' },
    kind: { const: 'Secret' },
    metadata: {},
    type: { const: 'Opaque' },
    data: {
      type: 'object',
      minProperties: 2,
      propertyNames: { pattern: '^[-._a-zA-Z0-9]+$' },
      additionalProperties: {
        type: 'string',
        pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
        minLength: 1,
      },
    },
  },
  additionalProperties: false,
};

/** What every object of ours may carry: the API server refuses or owns everything else in metadata. */
const METADATA: AnySchema = {
  type: 'object',
  required: ['name', 'namespace', 'labels'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$', maxLength: 253 },
    namespace: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
    labels: { type: 'object', minProperties: 1, additionalProperties: { type: 'string', maxLength: 63 } },
    annotations: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
  },
  additionalProperties: false,
};

const CRDS = new Map([
  ['opentofu.m.upbound.io/v1beta1 Workspace', 'data/crds/opentofu.m.upbound.io_workspaces.yaml'],
  ['opentofu.m.upbound.io/v1beta1 ProviderConfig', 'data/crds/opentofu.m.upbound.io_providerconfigs.yaml'],
  ['protection.crossplane.io/v1beta1 Usage', 'data/crds/protection.crossplane.io_usages.yaml'],
]);

/** By `apiVersion kind`. */
export function compileObjectSchemas(): ReadonlyMap<string, ValidateFunction> {
  const validators = new Map([['v1 Secret', compile(SECRET)]]);
  for (const [type, path] of CRDS) {
    const [apiVersion = ''] = type.split(' ');
    validators.set(type, compile(forbidUnknown(readSchema(path, apiVersion.replace(/.*\//, '')))));
  }
  return validators;
}

export function compileMetadataSchema(): ValidateFunction {
  return compile(METADATA);
}

/** Of the XRD's `status`. */
export function compileStatusSchema(): ValidateFunction {
  const schema = readSchema('apis/tofuworkspace/definition.yaml', 'v1alpha1');
  return compile(forbidUnknown(readPath(schema, 'properties', 'status')));
}

function readSchema(path: string, version: string): unknown {
  const versions = readPath(parse(readFileSync(join(ROOT, path), 'utf8')), 'spec', 'versions');
  const found: unknown = Array.isArray(versions)
    ? versions.find(item => readPath(item, 'name') === version)
    : undefined;
  const schema = readPath(found, 'schema', 'openAPIV3Schema');
  if (schema === undefined) throw new Error(`${path} has no schema of version ${version}`);
  return schema;
}

/** A structural schema prunes what it does not name; here that is an error. metadata is checked on its own. */
function forbidUnknown(schema: unknown): AnySchema {
  if (!isRecord(schema)) return {};
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(isRecord(items) ? { items: forbidUnknown(items) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: forbidUnknown(additionalProperties) } : {}),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [
              name,
              name === 'metadata' ? {} : forbidUnknown(member),
            ]),
          ),
          ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? {} : { additionalProperties: false }),
        }
      : {}),
  };
}

function compile(schema: AnySchema): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { int32: true, int64: true, byte: true } });
  addFormats.default(ajv);
  ajv.addKeyword({
    keyword: 'x-kubernetes-list-type',
    compile: (type: string, parent) => {
      const keys = (parent as Readonly<Record<string, unknown>>)['x-kubernetes-list-map-keys'];
      const identify = (item: unknown): string =>
        JSON.stringify(Array.isArray(keys) ? keys.map(key => readPath(item, String(key))) : item);
      return (value: unknown) =>
        type === 'atomic' || !Array.isArray(value) || new Set(value.map(identify)).size === value.length;
    },
  });
  return ajv.compile(schema);
}
