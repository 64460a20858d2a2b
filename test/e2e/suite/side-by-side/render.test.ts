/** `crossplane composition render` on what lies in the cluster composes what lies in the cluster. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { parseKubeObject, type KubeObject } from '../../../../src/kube.ts';
import { renderWithCrossplane } from '../../../conformance/crossplane-render.ts';
import { startFunction, type FunctionProcess } from '../../../conformance/function-process.ts';
import { App } from '../app.ts';
import { find, get, kubectl } from '../cluster.ts';
import { eventually } from '../eventually.ts';
import { composition, namespaceReference, route, schedule, secret } from '../kinds.ts';

const app = new App('e2e-render');
const folder = mkdtempSync(join(tmpdir(), 'e2e-render-'));
let server: FunctionProcess;

beforeAll(async () => {
  server = await startFunction();
  await app.create();
  await app.applySchedule('backup', 'e2e-render-backup');
  await app.applyRoute('web', 'render.int.kueber.eu');
  await app.applyTofuWorkspace();
  await app.ready();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

it('equals what the cluster composed', async () => {
  const composed = await eventually('the credentials are composed', async () => {
    const found = await app.composed();
    return found.some(({ kind }) => kind === 'Secret') ? found : undefined;
  });
  const write = (name: string, objects: readonly KubeObject[]): void => {
    writeFileSync(join(folder, name), objects.map(object => stringify(object)).join('---\n'));
  };
  const { namespace } = app;
  write('xr.yaml', [await app.tofuWorkspace()]);
  write('observed.yaml', composed);
  write('required.yaml', [
    await get(namespaceReference(namespace)),
    await get(schedule(namespace)),
    await get(route(namespace)),
  ]);
  write('outputs.yaml', [await get(secret(namespace))]);
  write('composition.yaml', [await get(composition())]);

  const { stdout, stderr, status } = await renderWithCrossplane(folder, { port: server.port });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const rendered = parseAllDocuments(stdout).map(document => parseKubeObject(document.toJS() as unknown));
  const objects = rendered.filter(
    ({ metadata }) => metadata.annotations?.['crossplane.io/composition-resource-name'] !== undefined,
  );
  expect(objects.map(nameOf).sort()).toEqual(composed.map(nameOf).sort());
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object;
    const live = await find({ apiVersion, kind, name: metadata.name, namespace });
    expect(live, nameOf(object)).toMatchObject(withoutOwner(object));
  }
});

it('and what it prints is what kubectl would leave as it is', async () => {
  const { stdout } = await renderWithCrossplane(folder, { port: server.port });
  const module = parseAllDocuments(stdout)
    .map(document => document.toJS() as KubeObject)
    .find(({ kind }) => kind === 'Workspace');
  const live = await kubectl(
    '--namespace',
    app.namespace,
    'get',
    'workspaces.opentofu.m.upbound.io/workspace',
    '-o',
    'jsonpath={.spec.forProvider.module}',
  );
  expect((module?.['spec'] as { forProvider: { module: string } }).forProvider.module).toBe(live);
});

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Render makes up a uid of its own for an owner it has not met. */
function withoutOwner(object: KubeObject): object {
  const { ownerReferences, ...metadata } = object.metadata;
  expect(ownerReferences).toHaveLength(1);
  return { ...object, metadata };
}
