/** A bucket outlives its Schedule, and lost memory; it goes with the XR only where retainBuckets is off. */
import { expect, it } from 'vitest';
import { route, schedule, ZONE } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';

async function applied(app: App, spec: App['spec'] = {}): Promise<App> {
  app.spec = spec;
  app.schedules = [schedule('nightly', 'demo-files'), schedule('weekly', 'demo-media')];
  app.routes = [route('web', [`app.${ZONE}`, `www.${ZONE}`])];
  expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '7 to add, 0 to change, 0 to destroy' });
  app.world.takeCalls();
  return app;
}

const BUCKETS = ['demo-files', 'demo-media'];

describeTofu('a bucket is kept', start => {
  it.each([true, false])('when its Schedule disappears, with retainBuckets %s', async retainBuckets => {
    const app = await applied(start(), { retainBuckets });
    app.schedules = [schedule('weekly', 'demo-media')];
    app.routes = [route('web', [`www.${ZONE}`])];
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '0 to add, 0 to change, 2 to destroy' });
    expect(app.world.takeCalls()).toEqual(['b2_application_key.delete', 'netbird_dns_record.delete']);

    app.schedules = [];
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '0 to add, 0 to change, 1 to destroy' });
    expect(app.world.takeCalls()).toEqual(['b2_application_key.delete']);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    expect(app.world.list('b2_bucket', 'bucket_name')).toEqual(BUCKETS);
    expect(app.world.list('netbird_dns_record', 'name')).toEqual([`www.${ZONE}`]);

    app.schedules = [schedule('nightly', 'demo-files')];
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '1 to add, 0 to change, 0 to destroy' });
    expect(app.world.takeCalls()).toEqual(['b2_application_key.create']);
  });

  it.each([
    { workspace: 'gone', retainBuckets: true },
    { workspace: 'kept', retainBuckets: true },
    { workspace: 'gone', retainBuckets: false },
    { workspace: 'kept', retainBuckets: false },
  ] as const)(
    'when all memory of it is lost, with the Workspace $workspace and retainBuckets $retainBuckets',
    async ({ workspace, retainBuckets }) => {
      const app = await applied(start(), { retainBuckets });
      app.schedules = [];
      app.routes = [];
      app.forget(workspace);
      app.loseDirectory();
      for (let round = 0; round < 2; round += 1) {
        const { error } = await app.reconcile();
        expect(error?.stderr).toMatch(/(?:Resource instance|Instance) cannot be destroyed/);
        expect(app.hint()).toMatchObject({ reason: 'PreventDestroy' });
        expect(app.hint().message).toMatch(/would destroy bucket demo-(?:files|media),/);
      }
      expect(app.world.takeCalls()).toEqual([]);
    },
  );

  it('when the XR is deleted, with retainBuckets on', async () => {
    const app = await applied(start());
    expect((await app.destroy())?.stderr).toMatch(/(?:Resource instance|Instance) cannot be destroyed/);
    expect(app.world.takeCalls()).toEqual([]);
  });
});

describeTofu('with retainBuckets off', start => {
  it('deletion takes key, record and empty bucket', async () => {
    const app = await applied(start(), { retainBuckets: true });
    app.spec = { retainBuckets: false };
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    expect(await app.destroy()).toBeUndefined();
    for (const type of ['b2_bucket', 'b2_application_key', 'netbird_dns_record'])
      expect(app.world.objects(type)).toEqual({});
    expect(await app.resources()).toEqual([]);
  });

  it('deletion leaves a bucket that is not empty, and says so', async () => {
    const app = await applied(start(), { retainBuckets: false });
    // The flag takes effect with the second: what the first applied proves what is in state.
    await app.reconcile();
    const [id, bucket] = Object.entries(app.world.objects('b2_bucket'))[0] ?? [];
    app.world.fill(String(id));
    expect((await app.destroy())?.message).toContain('Summary: Cannot delete non-empty bucket');
    expect(Object.keys(app.world.objects('b2_bucket'))).toEqual([id]);
    expect(await app.resources()).toContain(`b2_bucket.backup["${String(bucket?.bucket_name)}"]`);
  });

  it('a namespace with routes alone goes without help', async () => {
    const app = start();
    app.routes = [route('web', [`app.${ZONE}`])];
    await app.reconcile();
    expect(await app.destroy()).toBeUndefined();
    expect(app.world.takeCalls()).toEqual(['netbird_dns_record.create', 'netbird_dns_record.delete']);
  });
});
