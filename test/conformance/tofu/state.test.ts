/** Where state lies, what stands in it, and that one namespace never touches another's. */
import { expect, it } from 'vitest';
import { route, schedule, ZONE } from '../../fixtures/objects.ts';
import { describeTofu, PASSPHRASE, type App } from './app.ts';

function demo(app: App): App {
  const { namespace } = app;
  app.schedules = [schedule('nightly', 'demo-files', { namespace })];
  app.routes = [route('web', [`app.${ZONE}`], { namespace })];
  return app;
}

describeTofu('state', start => {
  it('is made by the first apply, and the second plan is empty', async () => {
    const app = demo(start({ encryption: 'full' }));
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '4 to add, 0 to change, 0 to destroy' });
    expect(app.world.takeCalls()).toEqual([
      'b2_application_key.create',
      'b2_bucket.create',
      'netbird_dns_record.create',
    ]);
    expect(Object.values(app.world.objects('netbird_dns_record'))).toMatchObject([
      { name: `app.${ZONE}`, type: 'A', content: '100.64.0.10', ttl: 300, zone_id: 'zone-1' },
    ]);
    const [bucket] = Object.values(app.world.objects('b2_bucket'));
    expect(bucket).toMatchObject({ bucket_name: 'demo-files', bucket_type: 'allPrivate' });
    const [key] = Object.values(app.world.objects('b2_application_key'));
    expect(key).toMatchObject({ key_name: 'demo-a-demo-files', bucket_id: bucket?.bucket_id });

    expect(app.site.store.keys()).toContain(app.stateObject);
    const state = app.site.store.read(app.stateObject);
    expect(Object.keys(JSON.parse(state) as object)).toContain('encrypted_data');
    for (const plain of ['demo-files', 'b2_bucket', ZONE, String(key?.application_key), PASSPHRASE])
      expect(state).not.toContain(plain);

    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    expect(app.world.takeCalls()).toEqual([]);
    expect(app.hint().reason).toBe('Applied');
  });

  it('of two namespaces with the same names is never shared', async () => {
    const [a, b] = ['demo-a', 'demo-b'].map(namespace => demo(start({ namespace, stateKey: 'shared.tfstate' })));
    if (a === undefined || b === undefined) throw new Error('two Apps');
    expect((await a.reconcile()).plan).toBe('4 to add, 0 to change, 0 to destroy');
    const before = a.site.store.read(a.stateObject);
    expect((await b.reconcile()).plan).toBe('4 to add, 0 to change, 0 to destroy');
    expect(a.site.store.keys().filter(key => key.endsWith('shared.tfstate'))).toEqual([a.stateObject, b.stateObject]);

    b.routes = [];
    expect((await b.reconcile()).plan).toBe('0 to add, 0 to change, 1 to destroy');
    expect(a.site.store.read(a.stateObject)).toBe(before);
    expect(await a.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
  });

  it('at another address is refused before OpenTofu sees it; it would start empty there', async () => {
    const app = demo(start());
    await app.reconcile();
    const changes = [{ key: 'other.tfstate' }, { bucket: 'other-state' }, { endpoint: 'http://127.0.0.2:1' }];
    for (const change of changes) {
      app.stateFields = change;
      expect(app.decide()).toMatchObject({ kind: 'refused', conditions: [{ reason: 'StateAddressChanged' }] });
    }
    app.stateFields = { encryption: { keyProviderName: 'other' } };
    expect(app.decide()).toMatchObject({ kind: 'refused', conditions: [{ reason: 'KeyProviderRenamed' }] });

    // Said to be moved, and not moved: with the directory kept OpenTofu stops, in another one it starts anew.
    app.stateFields = { key: 'other.tfstate' };
    app.spec = { stateMigratedTo: `${app.site.store.endpoint}/state/demo-a/workspace/other.tfstate` };
    expect((await app.reconcile()).error?.stderr).toContain('Backend configuration changed');
    expect(app.hint().reason).toBe('BackendInitFailed');
    app.loseDirectory();
    app.world.fail({ 'b2_bucket.create': 'Bucket name is already in use: demo-files' });
    expect((await app.reconcile()).error?.message).toContain('Bucket name is already in use');
    expect(app.hint().reason).toBe('BucketExists');
  });

  it('with another key provider label is unreadable', async () => {
    const app = demo(start({ encryption: 'fast' }));
    await app.reconcile();
    app.stateFields = { encryption: { keyProviderName: 'other' } };
    app.spec = { stateMigratedTo: `${app.site.store.endpoint}/state/${app.stateObject}` };
    const { error } = await app.reconcile();
    expect(error?.stderr).toMatch(/decrypt/i);
    expect(app.hint().reason).toBe('WrongPassphrase');
  });
});
