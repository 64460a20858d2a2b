/** Giving a bucket up: OpenTofu forgets it and destroys nothing, not even when it is told to destroy all. */
import { expect, it } from 'vitest';
import { schedule } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';

/** One bucket without a Schedule, and others with one. */
async function retained(app: App, others: readonly string[]): Promise<App> {
  const kept = others.map(name => schedule(name, name));
  app.schedules = [schedule('nightly', 'demo-files'), ...kept];
  await app.reconcile();
  app.schedules = kept;
  expect((await app.reconcile()).error).toBeUndefined();
  app.world.takeCalls();
  return app;
}

const REFUSED = /(?:Resource instance|Instance) cannot be destroyed/;

describeTofu('a released bucket', start => {
  it.each([{ others: ['demo-media'] }, { others: [] }])(
    'is forgotten, not destroyed, beside $others',
    async ({ others }) => {
      const app = await retained(start(), others);
      app.spec = { releaseBuckets: ['demo-files'] };
      const { error, plan } = await app.reconcile();
      expect(error).toBeUndefined();
      expect(plan).toBe('0 to add, 0 to change, 0 to destroy, 1 to forget');
      expect(app.world.takeCalls()).toEqual([]);
      expect(app.world.list('b2_bucket', 'bucket_name')).toEqual(['demo-files', ...others]);

      // Outputs and Synced now say that it is out of state: the module speaks of it no more, and the guard may go.
      const after = await app.reconcile();
      expect(after.error).toBeUndefined();
      expect(after.plan).toBe(others.length > 0 ? 'outputs only' : '0 to add, 0 to change, 1 to destroy');
      expect(app.world.takeCalls()).toEqual([]);
      expect(after.decision.status.buckets).toContainEqual(
        expect.objectContaining({ name: 'demo-files', state: 'Released' }),
      );
      expect(await app.reconcile()).toMatchObject({ plan: 'no changes' });
      const resources = await app.resources();
      expect(resources.filter(address => address.startsWith('b2_bucket'))).toEqual(
        others.map(name => `b2_bucket.backup["${name}"]`),
      );
      if (others.length === 0) expect(await app.destroy()).toBeUndefined();
      expect(app.world.list('b2_bucket', 'bucket_name')).toContain('demo-files');
    },
  );

  it.each([
    { others: ['demo-media'], retainBuckets: true },
    { others: [], retainBuckets: true },
    { others: [], retainBuckets: false },
  ])(
    'survives a destroy in the middle, beside $others with retainBuckets $retainBuckets',
    async ({ others, retainBuckets }) => {
      const app = await retained(start(), others);
      app.spec = { releaseBuckets: ['demo-files'], retainBuckets };
      // The Workspace has the module that releases, and the XR is deleted before it was applied.
      app.compose();
      expect((await app.destroy())?.stderr).toMatch(REFUSED);
      expect(app.world.takeCalls()).toEqual([]);
      expect(app.world.list('b2_bucket', 'bucket_name')).toEqual(['demo-files', ...others]);
      // Not a dead end: with the release applied the deletion does what it always does.
      await app.reconcile();
      await app.reconcile();
      expect(await app.destroy()).toEqual(others.length > 0 ? expect.anything() : undefined);
      expect(app.world.list('b2_bucket', 'bucket_name')).toContain('demo-files');
    },
  );
});
