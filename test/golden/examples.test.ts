import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Settled } from '../../src/decision.ts';
import { isRecord, readPath } from '../../src/kube.ts';
import { decideExample, EXAMPLES, listExamples, printExpected } from './examples.ts';

// Rewrite with `make golden`, then read the diff: a golden that nobody read proves nothing.
describe.each(listExamples())('examples/%s', name => {
  const folder = join(EXAMPLES, name, 'expected');
  const decision = decideExample(name);

  it('makes exactly the expected texts', () => {
    for (const [file, content] of printExpected(decision))
      expect(content, file).toBe(readFileSync(join(folder, file), 'utf8'));
  });

  it('has no file under expected/ that nothing holds', () => {
    const made = [...printExpected(decision).keys(), ...(decision.kind === 'settled' ? ['rendered.yaml'] : [])];
    expect(readdirSync(folder).sort()).toEqual(made.sort());
  });

  if (decision.kind === 'settled')
    it('composes what the real Crossplane rendered', () => {
      const { objects, status } = readRendered(join(folder, 'rendered.yaml'));
      expect(ownObjects(decision)).toEqual(objects);
      expect(status).toMatchObject(decision.status);
    });
});

/** Objects by key, without what core adds to them. */
function readRendered(path: string): { objects: Record<string, unknown>; status: unknown } {
  if (!existsSync(path)) throw new Error(`${path} is missing: run make golden`);
  const documents = parseAllDocuments(readFileSync(path, 'utf8')).map(document => document.toJS() as unknown);
  const objects: Record<string, unknown> = {};
  for (const document of documents) {
    const key = readPath(document, 'metadata', 'annotations', 'crossplane.io/composition-resource-name');
    if (typeof key === 'string') objects[key] = withoutCore(document);
  }
  const xr = documents.find(document => readPath(document, 'kind') === 'TofuWorkspace');
  return { objects: sortKeys(objects), status: readPath(xr, 'status') };
}

function ownObjects(decision: Settled): Record<string, unknown> {
  return sortKeys(Object.fromEntries([...decision.resources].map(([key, { object }]) => [key, withoutCore(object)])));
}

function withoutCore(object: unknown): unknown {
  if (!isRecord(object)) return object;
  const { metadata, ...rest } = object;
  const strip = (field: string): unknown => {
    const entries = readPath(metadata, field);
    const own = isRecord(entries)
      ? Object.entries(entries).filter(
          ([key]) => key === 'crossplane.io/external-name' || !key.includes('crossplane.io/'),
        )
      : [];
    return own.length === 0 ? undefined : Object.fromEntries(own);
  };
  return {
    ...rest,
    metadata: {
      name: readPath(metadata, 'name'),
      namespace: readPath(metadata, 'namespace'),
      labels: strip('labels'),
      annotations: strip('annotations'),
    },
  };
}

function sortKeys(objects: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(objects).sort(([a], [b]) => (a < b ? -1 : 1)));
}
