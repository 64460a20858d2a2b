/** The end of an app: what the Workspace's destroy needs stays until it is done, and no bucket goes by accident. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPath, readStrings, type KubeObject } from '../../../../src/kube.ts';
import { App, APPLY_SECONDS, conditionOf, DELIVERED_NAMES, moduleOf, RECONCILE_SECONDS } from '../app.ts';
import { find, get, isNotFound, kubectl, merge, raw, remove, type Propagation, type Reference } from '../cluster.ts';
import { eventually, steadily } from '../eventually.ts';
import { providerConfig, route, schedule, secret, tofuWorkspace, workspace } from '../kinds.ts';
import { record } from '../measured.ts';
import { hasState, realBuckets, realKeys, realRecords } from '../world.ts';

const IN_USE = 'crossplane.io/in-use';

async function deploy(app: App, spec: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await app.create();
  await app.applySchedule('backup', bucketOf(app));
  await app.applyRoute('web', `${app.namespace}.int.kueber.eu`);
  await app.applyTofuWorkspace(spec);
  await app.ready();
  await eventually('the credentials', () => app.secretData(`${bucketOf(app)}-b2`));
  await held(app);
}

/** A Usage protects from the moment that its object carries the label, not before. */
async function held(app: App): Promise<void> {
  for (const reference of await needed(app))
    await eventually(`${reference.kind} ${reference.name} is held`, () => labelled(reference));
}

/** undefined where it is not. */
async function labelled(reference: Reference): Promise<true | undefined> {
  return readStrings(await get(reference), 'metadata', 'labels').get(IN_USE) === 'true' ? true : undefined;
}

/** That its deletion is refused, and by the Usage: a webhook that gives no answer refuses too. */
async function isHeld(reference: Reference): Promise<void> {
  await expect(remove(reference)).rejects.toThrow(/is in-use by 1 usage/);
}

/** Keeps the Workspace until its Secrets have been asked for: a destroy may be done before the webhook has answered. */
const HELD = 'e2e.tofu-workspace/held';

async function setFinalizers({ namespace }: App, change: (finalizers: string[]) => string[]): Promise<void> {
  // Refused where somebody has written to it since it was read.
  await eventually('the finalizers are set', async () => {
    const { metadata } = await get(workspace(namespace));
    const finalizers = change((metadata['finalizers'] ?? []) as string[]);
    await merge(workspace(namespace), { metadata: { finalizers, resourceVersion: metadata['resourceVersion'] } });
    return true;
  });
}

function bucketOf({ namespace }: App): string {
  return `${namespace}-backup`;
}

/** What the provider needs to destroy. */
async function needed(app: App): Promise<Reference[]> {
  const { namespace } = app;
  const uid = (await find(workspace(namespace)))?.metadata['uid'];
  const use = {
    apiVersion: workspace(namespace).apiVersion,
    kind: 'ProviderConfigUsage',
    name: String(uid),
    namespace,
  };
  return [
    providerConfig(namespace),
    ...DELIVERED_NAMES.map(name => secret(namespace, name)),
    ...(uid === undefined ? [] : [use]),
  ];
}

async function allThere(app: App): Promise<boolean> {
  const found = await Promise.all((await needed(app)).map(find));
  return found.every(object => object !== undefined);
}

/** As docs/runbooks/teardown.md says it for a deletion in the foreground. */
async function endForeground(app: App, patch: string): Promise<void> {
  const waiting = await eventually('the Workspace waits for what it owns', async () => {
    const finalizers = (await app.workspace()).metadata['finalizers'] as readonly string[];
    return finalizers.includes('foregroundDeletion') ? finalizers : undefined;
  });
  // Longer than the provider and the garbage collector take where nothing stands in their way.
  await steadily('nothing is destroyed', () => Promise.resolve(realBuckets()[bucketOf(app)] !== undefined), 45);
  expect((await app.workspace()).metadata['finalizers']).toEqual(waiting);
  await kubectl(
    ...['--namespace', app.namespace, 'patch', 'workspaces.opentofu.m.upbound.io/workspace', '--type=merge'],
    ...['-p', patch],
  );
}

/** The patch that the runbook tells for this choice in its section on the foreground. */
async function told(choice: string): Promise<string> {
  const page = await readFile(new URL('../../../../docs/runbooks/teardown.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Not in the foreground'));
  const patch = /-p '(?<patch>[^']+)'/.exec(section.slice(section.indexOf(`**${choice}`)))?.groups?.['patch'];
  if (patch === undefined) throw new Error(`docs/runbooks/teardown.md tells no patch for: ${choice}`);
  return patch;
}

/** Watches until the Workspace is gone: as long as it is there, so must be everything that it needs. */
async function watchOrder(app: App): Promise<void> {
  await eventually(
    `the Workspace of ${app.namespace} is destroyed`,
    async () => {
      const complete = await allThere(app);
      // Asked after the others: what was there then was there while the Workspace still is.
      const left = await find(workspace(app.namespace));
      if (left === undefined) return true;
      if (!complete) orderBroken.push(app.namespace);
      throw new Error(JSON.stringify(readPath(left, 'status', 'conditions')));
    },
    APPLY_SECONDS,
  );
  expect(orderBroken).not.toContain(app.namespace);
}

const orderBroken: string[] = [];

async function nothingComposed(app: App): Promise<void> {
  await eventually('nothing composed is left', async () => ((await app.composed()).length === 0 ? true : undefined));
}

async function refusedDestroy(app: App): Promise<KubeObject> {
  return eventually(
    `the destroy of ${app.namespace} is refused`,
    async () => {
      const object = await app.workspace();
      const synced = conditionOf(object, 'Synced');
      return /cannot be destroyed/.test(String(synced?.['message'])) ? object : undefined;
    },
    APPLY_SECONDS,
  );
}

describe.concurrent('a namespace is deleted', () => {
  it('with retainBuckets off and applied: destroy first, then all goes', async () => {
    const app = new App('e2e-given-up');
    await deploy(app, { retainBuckets: false });
    expect(await app.module()).toContain('prevent_destroy = false');
    await app.deleteNamespace();
    await watchOrder(app);
    await app.gone();
    expect(Object.keys(realBuckets())).not.toContain(bucketOf(app));
    expect(realRecords()).not.toContain(`${app.namespace}.int.kueber.eu`);
  });

  it('with retainBuckets on: the destroy is refused and everything stays; without Delete the buckets stay and all else goes', async () => {
    const app = new App('e2e-kept');
    await deploy(app);
    const id = realBuckets()[bucketOf(app)];
    await app.deleteNamespace();
    await refusedDestroy(app);
    expect(await allThere(app)).toBe(true);

    // The function is not run any more: the flag comes too late, where the TofuWorkspace is there at all.
    await merge(tofuWorkspace(app.namespace), { spec: { retainBuckets: false } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    await steadily(
      'the module is as it was, and everything is there',
      async () => /prevent_destroy = true/.test(await app.module()) && (await allThere(app)),
      15,
    );

    const asked = Date.now();
    await merge(workspace(app.namespace), {
      spec: { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
    });
    await watchOrder(app);
    await app.gone();
    record('way out that keeps the buckets', { seconds: Math.round((Date.now() - asked) / 1000) });
    expect(realBuckets()[bucketOf(app)]).toBe(id);
    expect(realKeys(bucketOf(app))).toHaveLength(1);
    expect(hasState(app.namespace)).toBe(true);
  });

  it('with retainBuckets on: both literals edited in the Workspace give the buckets up', async () => {
    const app = new App('e2e-edited');
    await deploy(app);
    await app.deleteNamespace();
    await refusedDestroy(app);
    const module = moduleOf(await app.workspace());
    expect(module.match(/prevent_destroy = true/g)).toHaveLength(2);
    await merge(workspace(app.namespace), {
      spec: { forProvider: { module: module.replaceAll('prevent_destroy = true', 'prevent_destroy = false') } },
    });
    await watchOrder(app);
    await app.gone();
    expect(Object.keys(realBuckets())).not.toContain(bucketOf(app));
  });
});

describe.concurrent.each<Propagation>(['Foreground', 'Background'])('pruned, %s', propagation => {
  const app = new App(`e2e-pruned-${propagation.toLowerCase()}`);
  const delivered = DELIVERED_NAMES.map(name => secret(app.namespace, name));

  it('Secrets that are still needed refuse to go, and go when they are asked again', async () => {
    await deploy(app, { retainBuckets: false });
    const { namespace } = app;
    await setFinalizers(app, finalizers => [...finalizers, HELD]);
    await remove(tofuWorkspace(namespace), propagation);
    await Promise.all([schedule(namespace), route(namespace)].map(reference => remove(reference, propagation)));
    await Promise.all(delivered.map(isHeld));
    await setFinalizers(app, finalizers => finalizers.filter(each => each !== HELD));
    // The Workspace waits for its ProviderConfigUsage, which a Usage holds until the Workspace is gone.
    if (propagation === 'Foreground') await endForeground(app, await told('Let the destroy begin'));
    await watchOrder(app);
    await eventually('the TofuWorkspace is gone', async () =>
      (await find(tofuWorkspace(namespace))) === undefined ? true : undefined,
    );
    expect(Object.keys(realBuckets())).not.toContain(bucketOf(app));
    await eventually('the Secrets go', async () => {
      await Promise.all(delivered.map(reference => remove(reference, propagation)));
      return true;
    });
    // What is composed goes by itself.
    await nothingComposed(app);
  });
});

it.concurrent(
  'deleted in the foreground with retainBuckets on: one patch keeps the bucket, and all else goes',
  async () => {
    const app = new App('e2e-foreground-kept');
    await deploy(app);
    const id = realBuckets()[bucketOf(app)];
    await remove(tofuWorkspace(app.namespace), 'Foreground');
    await endForeground(app, await told('Keep everything at Backblaze and NetBird'));
    await watchOrder(app);
    await nothingComposed(app);
    expect(realBuckets()[bucketOf(app)]).toBe(id);
    expect(realKeys(bucketOf(app))).toHaveLength(1);
    expect(hasState(app.namespace)).toBe(true);
  },
);

// Not concurrent: the second takes away what the first looks at.
describe('a delivered Secret whose labels are rewritten, as by External Secrets', () => {
  const app = new App('e2e-relabelled');
  const reference = secret(app.namespace, 'tofu-encryption');

  beforeAll(async () => {
    await deploy(app);
  });

  it('is protected where the labels that are there are kept (merge)', async () => {
    await app.applySecret(
      'tofu-encryption',
      { passphrase: 'a passphrase that is long enough' },
      { delivered: 'again' },
    );
    expect((await get(reference)).metadata.labels).toMatchObject({ delivered: 'again', [IN_USE]: 'true' });
    await isHeld(reference);
  });

  it('is not where the label is taken away, and is again once Crossplane has put it back', async () => {
    await merge(reference, { metadata: { labels: { [IN_USE]: null } } });
    const taken = Date.now();
    await raw(`/api/v1/namespaces/${app.namespace}/secrets/${reference.name}?dryRun=All`, 'DELETE');
    await eventually('the label is back', () => labelled(reference), RECONCILE_SECONDS);
    record('in-use label put back after', { seconds: Math.round((Date.now() - taken) / 1000) });
    await isHeld(reference);
  });
});
