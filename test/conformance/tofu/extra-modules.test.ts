/** Text of the Input beside our own blocks, on the real OpenTofu. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readPath } from '../../../src/kube.ts';
import { DNS_ON, route, schedule, ZONE } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/extra-modules/', import.meta.url));
const BUCKET = 'demo-files';

/** providers and extraModules of the example's Composition. */
function exampleFields(): Readonly<Record<string, unknown>> {
  const composition: unknown = parse(readFileSync(join(EXAMPLE, 'composition.yaml'), 'utf8'));
  const pipeline = readPath(composition, 'spec', 'pipeline') as readonly unknown[];
  const input = readPath(pipeline[0], 'input');
  return { ...DNS_ON, providers: readPath(input, 'providers'), extraModules: readPath(input, 'extraModules') };
}

function withBoth(app: App): App {
  app.schedules = [schedule('nightly', BUCKET)];
  app.routes = [route('web', [`app.${ZONE}`])];
  return app;
}

const OURS = [
  'b2_application_key.backup["demo-files"]',
  'b2_bucket.backup["demo-files"]',
  'netbird_dns_record.internal["app.int.example.test"]',
  'data.netbird_dns_zone.zone["int.example.test"]',
  'terraform_data.guard',
];
const EXTRA = ['netbird_group.extra_app', 'netbird_setup_key.extra_app', 'random_pet.extra_host["demo-files"]'];

describeTofu('extra modules', start => {
  it("of the example's golden are valid", async () => {
    const app = start();
    const order = app.order(app.settle());
    const { folder } = app.directory;
    mkdirSync(folder, { recursive: true });
    for (const [from, to] of [
      ['main.tf', 'main.tf'],
      ['provider.tf', 'crossplane-provider-config.tf'],
    ] as const)
      // prettier-ignore
      copyFileSync(join(EXAMPLE, 'expected', from), join(folder, to));
    expect(await app.directory.run(order, 'init', '-backend=false', '-input=false')).toMatchObject({ status: 0 });
    expect(await app.directory.run(order, 'validate', '-no-color')).toMatchObject({ status: 0, stderr: '' });
  });

  it('come and go beside ours, which nothing happens to', async () => {
    const app = withBoth(start());
    expect((await app.reconcile()).plan).toBe('4 to add, 0 to change, 0 to destroy');
    expect((await app.resources()).sort()).toEqual([...OURS].sort());
    app.world.takeCalls();

    app.inputFields = exampleFields();
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '3 to add, 0 to change, 0 to destroy' });
    expect((await app.resources()).sort()).toEqual([...OURS, ...EXTRA].sort());
    expect(app.world.list('netbird_group', 'name')).toEqual(['app-demo-a']);
    expect(app.world.list('random_pet', 'prefix')).toEqual([BUCKET]);
    const outputs = await app.directory.outputs(app.order(app.observedDecision()));
    const hosts = outputs.find(({ name }) => name === 'extra_hosts')?.value;
    expect(Object.keys(hosts as object)).toEqual([BUCKET]);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    app.world.takeCalls();

    // The Schedule goes: the bucket is retained, and so is what was made for it.
    app.schedules = [];
    expect((await app.reconcile()).error).toBeUndefined();
    expect(app.world.takeCalls()).toEqual(['b2_application_key.delete']);

    // The extra module goes: so do its resources, and nothing else. The provider stays until they are gone.
    app.inputFields = { ...exampleFields(), extraModules: [] };
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '0 to add, 0 to change, 3 to destroy' });
    expect(app.world.takeCalls()).toEqual(['netbird_group.delete', 'netbird_setup_key.delete', 'random_pet.delete']);
    expect(app.world.list('b2_bucket', 'bucket_name')).toEqual([BUCKET]);
    app.inputFields = DNS_ON;
    expect((await app.reconcile()).error).toBeUndefined();
  });

  it('that fail stop the plan, destroy nothing, and are named by the hint', async () => {
    const app = withBoth(start());
    await app.reconcile();
    app.world.takeCalls();
    const template = 'resource "terraform_data" "extra_broken" {\n  input = nothing.of_this_name\n}';
    app.inputFields = { ...DNS_ON, extraModules: [{ name: 'broken', template }] };
    app.schedules = [...app.schedules, schedule('other', 'demo-other')];
    expect((await app.reconcile()).error?.message).toContain('Summary: Reference to undeclared resource');
    expect(app.hint()).toMatchObject({ reason: 'ExtraModuleFailed' });
    expect(app.hint().message).toContain('resource "terraform_data" "extra_broken"');
    expect(app.world.takeCalls()).toEqual([]);
    app.inputFields = DNS_ON;
    expect((await app.reconcile()).error).toBeUndefined();
  });
});
