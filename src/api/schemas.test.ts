import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { INPUT_CRD_PATH, printSchemas, XRD_PATH } from '../../scripts/generate-schemas.ts';
import { isDocumentError } from '../errors.ts';
import { isRecord, readPath } from '../kube.ts';
import { INPUT_API_VERSION, INPUT_KIND, parseInput } from './input.ts';
import { parseTofuWorkspace } from './tofu-workspace.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPOSITION_PATH = 'apis/tofuworkspace/composition.yaml';

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function readYaml(path: string): unknown {
  return parse(readText(path));
}

/** The schema of one version in a CRD or XRD. */
function schemaOf(path: string, version: string): AnySchema {
  const versions = readPath(readYaml(path), 'spec', 'versions');
  const found: unknown = Array.isArray(versions)
    ? versions.find(candidate => readPath(candidate, 'name') === version)
    : undefined;
  return readPath(found, 'schema', 'openAPIV3Schema') as AnySchema;
}

/** As the API server validates after defaulting: types, patterns, limits and list types, but not CEL. */
function compileStructural(schema: AnySchema): ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    useDefaults: true,
    allErrors: true,
    formats: { byte: true, 'date-time': true, int32: true, int64: true },
  });
  ajv.addKeyword({
    keyword: 'x-kubernetes-list-type',
    compile: (listType: string, parent) => {
      const keys = (parent as Readonly<Record<string, unknown>>)['x-kubernetes-list-map-keys'];
      const identity = (item: unknown): string =>
        JSON.stringify(Array.isArray(keys) ? keys.map(key => readPath(item, String(key))) : item);
      return (value: unknown) =>
        listType === 'atomic' || !Array.isArray(value) || new Set(value.map(identity)).size === value.length;
    },
  });
  return ajv.compile(schema);
}

interface Verdict {
  readonly name: string;
  readonly reason: string;
  readonly schema: boolean;
  /** What the function says where it knows more than the schema. */
  readonly function?: boolean;
}

interface XrVerdict extends Verdict {
  /**
   * What the CEL rules say, where the schema accepts. Encoded, not evaluated here: there is no CEL
   * in Node. The API server's own evaluator (apiextensions-apiserver 0.35) agreed with every row.
   */
  readonly cel?: boolean;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly repeat?: { readonly list: string; readonly prefix: string; readonly count: number };
}

interface InputVerdict extends Verdict {
  readonly input: object;
  readonly path?: string;
}

function xrOf(row: XrVerdict): unknown {
  const { repeat } = row;
  const repeated =
    repeat === undefined
      ? {}
      : { [repeat.list]: Array.from({ length: repeat.count }, (_, index) => `${repeat.prefix}${index}`) };
  return {
    apiVersion: 'platform.kueber.eu/v1alpha1',
    kind: 'TofuWorkspace',
    metadata: { name: 'workspace', namespace: 'demo-a', ...row.metadata },
    ...(row.spec === undefined ? {} : { spec: { ...row.spec, ...repeated } }),
    ...(row.status === undefined ? {} : { status: row.status }),
  };
}

function faultPaths(act: () => unknown): readonly string[] {
  try {
    act();
    return [];
  } catch (error) {
    if (!isDocumentError(error)) throw error;
    return error.faults.map(fault => fault.path);
  }
}

describe('the XRD and parseTofuWorkspace agree', () => {
  const rows = readYaml('src/api/tofu-workspace.verdicts.yaml') as readonly XrVerdict[];
  const validate = compileStructural(schemaOf(XRD_PATH, 'v1alpha1'));
  it.each(rows)('$name: $reason', row => {
    expect(validate(structuredClone(xrOf(row))), JSON.stringify(validate.errors)).toBe(row.schema);
    const accepted = faultPaths(() => parseTofuWorkspace(xrOf(row))).length === 0;
    expect(accepted).toBe(row.function ?? (row.schema && row.cel === true));
  });
});

describe('the CRD of the Input and parseInput agree', () => {
  const rows = readYaml('src/api/input.verdicts.yaml') as readonly InputVerdict[];
  const validate = compileStructural(schemaOf(INPUT_CRD_PATH, 'v1beta1'));
  it.each(rows)('$name: $reason', row => {
    const input = { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, ...row.input };
    expect(validate(structuredClone(input)), JSON.stringify(validate.errors)).toBe(row.schema);
    expect(faultPaths(() => parseInput(input))).toEqual(row.path === undefined ? [] : [row.path]);
    expect(row.path === undefined).toBe(row.function ?? row.schema);
  });

  it('gives the same defaults', () => {
    const document: unknown = { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, dns: {} };
    const defaulted = structuredClone(document);
    expect(validate(defaulted)).toBe(true);
    // An empty list is what an absent one means; the CRD does not say so.
    const { extraModules, providers, ...rest } = parseInput(document);
    const { extra, ...own } = providers;
    expect([extraModules, extra]).toEqual([[], []]);
    expect(defaulted).toEqual({ ...rest, providers: own });
  });
});

describe('shipped YAML', () => {
  it.each([...printSchemas()])('%s is what the generator prints', (path, text) => {
    expect(readText(path)).toBe(text);
  });

  it.each([
    {
      path: XRD_PATH,
      crd: 'data/crds/apiextensions.crossplane.io_compositeresourcedefinitions.yaml',
      version: 'v2',
    },
    { path: COMPOSITION_PATH, crd: 'data/crds/apiextensions.crossplane.io_compositions.yaml', version: 'v1' },
  ])('$path is valid for $crd', ({ path, crd, version }) => {
    const validate = compileStructural(schemaOf(crd, version));
    expect(validate(readYaml(path)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([XRD_PATH, INPUT_CRD_PATH, COMPOSITION_PATH])(
    '%s holds no dollar-brace text: Flux would substitute it (field report 47)',
    path => {
      expect(readText(path)).not.toContain('${');
    },
  );

  it.each([
    { path: XRD_PATH, version: 'v1alpha1' },
    { path: INPUT_CRD_PATH, version: 'v1beta1' },
  ])('$path describes every field', ({ path, version }) => {
    expect(undescribed(schemaOf(path, version), [])).toEqual([]);
  });

  it('the Composition carries an Input that the function accepts', () => {
    const pipeline = readPath(readYaml(COMPOSITION_PATH), 'spec', 'pipeline');
    const step: unknown = Array.isArray(pipeline) ? pipeline[0] : undefined;
    expect(parseInput(readPath(step, 'input')).dns?.zones).toEqual(['int.kueber.eu']);
  });

  it('the Composition is the one that the XRD names', () => {
    const name = readPath(readYaml(XRD_PATH), 'spec', 'defaultCompositionRef', 'name');
    expect(readPath(readYaml(COMPOSITION_PATH), 'metadata', 'name')).toBe(name);
  });
});

/** Paths of fields without a description. */
function undescribed(schema: unknown, path: readonly string[]): string[] {
  if (!isRecord(schema)) return [];
  const { properties, items } = schema;
  const members = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...members.flatMap(([name, member]) => [
      ...(name === 'metadata' || typeof readPath(member, 'description') === 'string'
        ? []
        : [[...path, name].join('.')]),
      ...undescribed(member, [...path, name]),
    ]),
    ...undescribed(items, [...path, '[]']),
  ];
}
