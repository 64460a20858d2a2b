/** Buckets that exist at B2: imported by a human's word, never created again, and left as they are. */
import { expect, it } from 'vitest';
import { schedule } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';

const ID = '4a48fe8875c6214145260818';
const OTHER_ID = '4a48fe8875c6214145260819';

function existing(app: App): App {
  const rules = [{ file_name_prefix: 'logs/', days_from_hiding_to_deleting: 365 }];
  const bucket = { bucket_id: ID, id: ID, bucket_name: 'Demo-Files', bucket_type: 'allPrivate', revision: 7 };
  app.world.put('b2_bucket', ID, { ...bucket, lifecycle_rules: rules, cors_rules: [], bucket_info: { owner: 'me' } });
  app.world.put('b2_bucket', OTHER_ID, { ...bucket, bucket_id: OTHER_ID, id: OTHER_ID, bucket_name: 'somebody-elses' });
  app.spec = { adoptBuckets: [{ bucket: 'Demo-Files', bucketId: ID }] };
  return app;
}

describeTofu('an adopted bucket', start => {
  it('is imported and keeps its own rules', async () => {
    const app = existing(start());
    app.schedules = [schedule('nightly', 'demo-files')];
    const before = app.world.objects('b2_bucket');
    expect(await app.reconcile()).toMatchObject({
      error: undefined,
      plan: '1 to import, 2 to add, 0 to change, 0 to destroy',
    });
    expect(app.world.takeCalls()).toEqual(['b2_application_key.create']);
    expect(app.world.objects('b2_bucket')).toEqual(before);
    // The import block may stay.
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    app.spec = {};
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    expect(app.world.objects('b2_bucket')).toEqual(before);
  });

  it('is imported where no Schedule wants it yet', async () => {
    const app = existing(start());
    expect((await app.reconcile()).plan).toBe('1 to import, 1 to add, 0 to change, 0 to destroy');
    expect(app.world.takeCalls()).toEqual([]);
  });

  it('with a wrong id is never replaced', async () => {
    const app = existing(start());
    app.schedules = [schedule('nightly', 'demo-files')];
    app.spec = { adoptBuckets: [{ bucket: 'Demo-Files', bucketId: OTHER_ID }] };
    expect((await app.reconcile()).error?.stderr).toMatch(/(?:Resource instance|Instance) cannot be destroyed/);
    app.spec = { adoptBuckets: [{ bucket: 'Demo-Files', bucketId: ID.replace('4a', '5a') }] };
    expect((await app.reconcile()).error?.stderr).toContain('Cannot import non-existent remote object');
    expect(app.world.takeCalls()).toEqual([]);
  });
});
