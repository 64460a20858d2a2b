/** Which Secrets are written, with what, and which never are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readPath, type KubeObject } from '../../../../src/kube.ts';
import { App, APPLY_SECONDS, decodeData } from '../app.ts';
import { callsSince } from '../calls.ts';
import { get, merge, remove } from '../cluster.ts';
import { eventually, steadily } from '../eventually.ts';
import { secret, tofuWorkspace } from '../kinds.ts';
import { realKeys } from '../world.ts';

const app = new App('e2e-credentials');
const MAIN = 'e2e-credentials-main';

/** Secrets that Schedules name as their credentials, and which belong to somebody else. */
const FOREIGN = ['restic', 'tofu-encryption', 'tofu-workspace-s3-credentials', 'of-another-app'] as const;
const before = new Map<string, KubeObject>();

beforeAll(async () => {
  await app.create();
  await app.applySecret('restic', { password: 'the password of all backups' }, { purpose: 'restic' });
  await app.applySecret('of-another-app', { ACCESS_KEY_ID: 'theirs', SECRET_ACCESS_KEY: 'theirs too' });
  for (const name of FOREIGN) before.set(name, await get(secret(app.namespace, name)));
  await app.applySchedule('main', MAIN);
  for (const name of FOREIGN)
    await app.applySchedule(`reads-${name}`, `e2e-credentials-${name}`.slice(0, 40), { credentials: name });
  await app.applyTofuWorkspace();
  // Those that read another Secret keep the condition False; the Workspace is applied all the same.
  await eventually(
    'the Workspace is applied',
    async () => ((await app.condition('WorkspaceApplied'))?.['status'] === 'True' ? true : undefined),
    APPLY_SECONDS,
  );
});

describe('the Secret of a bucket', () => {
  it('appears with exactly its two keys, and they are those of the bucket', async () => {
    const data = await eventually('the Secret', () => app.secretData(`${MAIN}-b2`));
    expect([...data.keys()].sort()).toEqual(['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']);
    expect(realKeys(MAIN)).toEqual([data.get('ACCESS_KEY_ID')]);
  });

  it('is one for each bucket that a Schedule wants', async () => {
    const buckets = Object.keys(await app.buckets());
    expect(buckets).toHaveLength(1 + FOREIGN.length);
    expect(await app.secretNames()).toEqual(expect.arrayContaining(buckets.map(bucket => `${bucket}-b2`)));
  });

  it('stays as it is when the connection Secret is deleted', async () => {
    const reference = secret(app.namespace, `${MAIN}-b2`);
    const kept = await get(reference);
    const deleted = Date.now();
    await remove(secret(app.namespace));
    await merge(tofuWorkspace(app.namespace), { metadata: { annotations: { 'e2e/touched': 'now' } } });
    await eventually('the function was called', async () => (await callsSince(deleted, app.namespace))[0]);
    await steadily(
      'the Secret is there with its data',
      async () => readPath(await get(reference), 'metadata', 'uid') === kept.metadata['uid'],
      10,
    );
    expect(decodeData(await get(reference))).toEqual(decodeData(kept));
  });
});

describe('a Schedule that names as its credentials the Secret of', () => {
  it.each(FOREIGN)('%s changes nothing in it', async name => {
    const now = await get(secret(app.namespace, name));
    const was = before.get(name);
    expect(now['data']).toEqual(was?.['data']);
    expect(now['type']).toEqual(was?.['type']);
    expect(now.metadata['uid']).toBe(was?.metadata['uid']);
    expect(now.metadata['ownerReferences']).toBeUndefined();
    // The mark by which a Usage holds what the Workspace reads is Crossplane's, not ours.
    const { 'crossplane.io/in-use': held, ...labels } = now.metadata.labels ?? {};
    expect(labels).toEqual(was?.metadata.labels ?? {});
    expect([undefined, 'true']).toContain(held);
  });

  it('another is told which to read', async () => {
    // Until the provider has written the connection Secret again, the condition tells of that.
    const condition = await eventually('told of the other Secret', async () => {
      const found = await app.condition('CredentialsDelivered');
      return found?.['reason'] === 'OtherSecretRead' ? found : undefined;
    });
    expect(condition['status']).toBe('False');
    expect(condition['message']).toContain('-b2');
  });
});
