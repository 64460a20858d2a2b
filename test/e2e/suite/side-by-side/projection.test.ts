/**
 * While the function waits it desires what exists again, as a projection. Core applies an answer that waits to the API
 * server only in the emergency that it is for, so it is applied here in core's name.
 */
import { beforeAll, expect, it } from 'vitest';
import { composeProjection } from '../../../../src/compose/projection.ts';
import { readPath, type KubeObject } from '../../../../src/kube.ts';
import { App } from '../app.ts';
import { raw } from '../cluster.ts';
import { eventually } from '../eventually.ts';

const app = new App('e2e-projection');
const KINDS = ['Workspace', 'ProviderConfig', 'Usage', 'Secret'];

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', 'e2e-projection-backup');
  await app.applyRoute('web', 'projection.int.kueber.eu');
  await app.applyTofuWorkspace();
  await app.ready();
});

it('changes no field of anything that is composed', async () => {
  const composed = await eventually('all kinds are composed', async () => {
    const found = await app.composed();
    return KINDS.every(kind => found.some(object => object.kind === kind)) ? found : undefined;
  });
  for (const object of composed) {
    const { before, after } = await applyAsCore(object);
    expect(after, `${object.kind} ${object.metadata.name}`).toEqual(before);
  }

  // What core applies next changes nothing back. Once it asks a second time, it has applied the first answer.
  await app.lastAnswerApplied();
  await app.lastAnswerApplied();
  const specs = (objects: readonly KubeObject[]): unknown =>
    objects.map(({ metadata, spec, data }) => [metadata['uid'], spec, data]);
  expect(specs(await app.composed())).toEqual(specs(composed));
});

/** @returns the object before and after, without the API server's book of who has set what last and when */
async function applyAsCore(object: KubeObject): Promise<{ before: unknown; after: unknown }> {
  const path = pathOf(object);
  const before = JSON.parse(await raw(path)) as KubeObject;
  const manager = (readPath(before, 'metadata', 'managedFields') as readonly { manager: string }[]).find(entry =>
    entry.manager.startsWith('apiextensions.crossplane.io/composed'),
  )?.manager;
  if (manager === undefined) throw new Error(`core manages no field of ${object.metadata.name}`);
  const text = await raw(
    `${path}?fieldManager=${encodeURIComponent(manager)}&force=true`,
    'PATCH',
    addWhatCoreAdds(composeProjection(before), before),
    'application/apply-patch+yaml',
  );
  return { before: withoutBook(before), after: withoutBook(JSON.parse(text) as KubeObject) };
}

/** Core puts these on every object that a function desires, before it applies it. */
function addWhatCoreAdds(projection: KubeObject, { metadata }: KubeObject): KubeObject {
  const key = 'crossplane.io/composition-resource-name';
  const label = 'crossplane.io/composite';
  return {
    ...projection,
    metadata: {
      ...projection.metadata,
      annotations: { ...projection.metadata.annotations, [key]: metadata.annotations?.[key] ?? '' },
      labels: { ...projection.metadata.labels, [label]: metadata.labels?.[label] ?? '' },
      ownerReferences: metadata['ownerReferences'],
    },
  };
}

function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${metadata.namespace ?? ''}/${kind.toLowerCase()}s/${metadata.name}`;
}

/** Values that the API server has filled in are core's own for once; its next answer leaves them out, and they stay. */
function withoutBook({ metadata, ...rest }: KubeObject): unknown {
  const { resourceVersion, managedFields, ...kept } = metadata;
  expect([resourceVersion, managedFields]).not.toContain(undefined);
  return { ...rest, metadata: kept };
}
