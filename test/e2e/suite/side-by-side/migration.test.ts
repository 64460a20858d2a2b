/** From a Composition of the function-go-templating shape to ours, with buckets, state and objects in place. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type KubeObject } from '../../../../src/kube.ts';
import { App, APPLY_SECONDS, conditionOf } from '../app.ts';
import { apply, get, merge, type Reference } from '../cluster.ts';
import { eventually, steadily } from '../eventually.ts';
import { composition, providerConfig, tofuWorkspace, usage, workspace } from '../kinds.ts';
import { hasState, realBuckets } from '../world.ts';

const OLDER = 'tofuworkspaces-go-templating';
const OURS = 'tofuworkspaces-adopting';
const KEY = 'crossplane.io/composition-resource-name';

const moved = new App('e2e-moved');
const unmoved = new App('e2e-unmoved');

beforeAll(async () => {
  const shipped = await get(composition());
  const base = { apiVersion: shipped.apiVersion, kind: shipped.kind };
  const spec = structuredClone(shipped['spec']) as { pipeline: { input: { state: Record<string, unknown> } }[] };
  for (const { input } of spec.pipeline) input.state['encryption'] = { adoptUnencrypted: true };
  await apply({ ...base, metadata: { name: OURS }, spec });
  await apply({
    ...base,
    metadata: { name: OLDER },
    spec: {
      compositeTypeRef: { apiVersion: 'platform.kueber.eu/v1alpha1', kind: 'TofuWorkspace' },
      mode: 'Pipeline',
      pipeline: [{ step: 'workspace', functionRef: { name: 'function-go-templating' } }],
    },
  });
  await Promise.all([moved, unmoved].map(deployOlder));
});

async function deployOlder(app: App): Promise<void> {
  await app.create();
  await app.applySchedule('backup', bucketOf(app));
  await app.applyTofuWorkspace({
    stateBucket: 'crossplane-talos-workspaces-995867de',
    crossplane: { compositionRef: { name: OLDER } },
  });
  await eventually(
    `the older Composition's Workspace of ${app.namespace} is applied`,
    async () => {
      const object = await app.workspace();
      const applied = ['Ready', 'Synced'].every(type => conditionOf(object, type)?.['status'] === 'True');
      return applied && realBuckets()[bucketOf(app)] !== undefined ? true : undefined;
    },
    APPLY_SECONDS,
  );
}

function bucketOf({ namespace }: App): string {
  return `${namespace}-backup`;
}

const switchTo = (app: App, spec: object): Promise<unknown> =>
  merge(tofuWorkspace(app.namespace), { spec: { ...spec, crossplane: { compositionRef: { name: OURS } } } });

function objectsOf({ namespace }: App): Reference[] {
  return [workspace(namespace), providerConfig(namespace), usage(namespace)];
}

async function identities(app: App): Promise<unknown[]> {
  const objects = await Promise.all(objectsOf(app).map(get));
  return objects.map(({ metadata }: KubeObject) => [
    metadata['uid'],
    metadata.annotations?.[KEY],
    metadata['deletionTimestamp'],
  ]);
}

describe.concurrent('an XR that the older Composition has composed', () => {
  it('with movedFrom is taken over: nothing is deleted, nothing is made anew, state and bucket stay', async () => {
    const before = await identities(moved);
    const bucket = realBuckets()[bucketOf(moved)];
    expect(before.map(entry => (entry as unknown[])[1])).toEqual([
      'workspace',
      'providerconfig',
      'usage-providerconfig',
    ]);
    await switchTo(moved, { movedFrom: [{ address: 'b2_bucket.b0', bucket: bucketOf(moved) }] });
    await eventually('the module is ours', async () =>
      (await moved.module()).includes('layout 1') ? true : undefined,
    );
    // In the run directory that the older module was applied in: init takes the backend for the same, nobody restarts the provider.
    await moved.ready();
    expect(await identities(moved)).toEqual(before);
    expect(realBuckets()[bucketOf(moved)]).toBe(bucket);
    expect(hasState(moved.namespace)).toBe(true);
    expect(await moved.buckets()).toEqual({ [bucketOf(moved)]: 'Wanted' });
    await eventually('the credentials are delivered', () => moved.secretData(`${bucketOf(moved)}-b2`));
  });

  it('without movedFrom is refused, and nothing is deleted', async () => {
    const before = await identities(unmoved);
    const module = await unmoved.module();
    const bucket = realBuckets()[bucketOf(unmoved)];
    await switchTo(unmoved, {});
    await eventually('refused', async () =>
      (await unmoved.condition('IntentSettled'))?.['reason'] === 'ForeignModule' ? true : undefined,
    );
    await steadily(
      'everything is as it was',
      async () =>
        JSON.stringify(await identities(unmoved)) === JSON.stringify(before) && (await unmoved.module()) === module,
      15,
    );
    expect(realBuckets()[bucketOf(unmoved)]).toBe(bucket);

    // Covered later, it goes on from there.
    await switchTo(unmoved, { movedFrom: [{ address: 'b2_bucket.b0', bucket: bucketOf(unmoved) }] });
    await unmoved.ready();
    expect(await identities(unmoved)).toEqual(before);
    expect(realBuckets()[bucketOf(unmoved)]).toBe(bucket);
  });
});
