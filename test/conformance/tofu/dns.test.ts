/** Records follow the routes of the namespace, down to the last one. */
import { expect, it } from 'vitest';
import { route, ZONE } from '../../fixtures/objects.ts';
import { describeTofu } from './app.ts';

describeTofu('a record', start => {
  it('goes when its route leaves the zone, with the provider still configured', async () => {
    const app = start();
    app.routes = [route('web', [`app.${ZONE}`])];
    expect((await app.reconcile()).plan).toBe('1 to add, 0 to change, 0 to destroy');
    app.routes = [route('web', ['app.example.com'])];
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '0 to add, 0 to change, 1 to destroy' });
    expect(app.world.takeCalls()).toEqual(['netbird_dns_record.create', 'netbird_dns_record.delete']);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    // Nothing is left, so DNS may be turned off: the provider leaves the module with the next apply.
    app.inputFields = {};
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
  });

  it('stays while a route cannot be read', async () => {
    const app = start();
    app.routes = [route('web', [`app.${ZONE}`])];
    await app.reconcile();
    app.routes = [route('web', 'no list')];
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    expect(app.world.list('netbird_dns_record', 'name')).toEqual([`app.${ZONE}`]);
  });

  it('changes in place when the content of all records does', async () => {
    const app = start();
    app.routes = [route('web', [`app.${ZONE}`])];
    await app.reconcile();
    app.inputFields = { dns: { zones: [ZONE], record: { content: '100.64.0.11', ttl: 600 } } };
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '0 to add, 1 to change, 0 to destroy' });
  });

  it('in a zone that does not exist fails the plan', async () => {
    const app = start();
    app.inputFields = { dns: { zones: ['other.example.test'] } };
    app.routes = [route('web', ['app.other.example.test'])];
    expect((await app.reconcile()).error?.message).toContain('Summary: No match');
  });
});
