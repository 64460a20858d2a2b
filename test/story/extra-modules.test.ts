/** Text of the Input in the module: it can touch nothing of ours, whatever a namespace holds. */
import { describe, expect, it } from 'vitest';
import { EXTRA_MARKER } from '../../src/intent/names.ts';
import {
  applied,
  conditionOf,
  DNS_ON,
  find,
  input,
  moduleOf,
  observe,
  refuse,
  route,
  schedule,
  settle,
  wait,
  xr,
  ZONE,
} from '../fixtures/objects.ts';
import { blockOf } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const SCHEDULES = [schedule('nightly', BUCKET)];
const RANDOM = { name: 'random', source: 'hashicorp/random', version: '3.9.0' };

function extra(template: string, more: object = {}): Readonly<Record<string, unknown>> {
  return input({ ...DNS_ON, providers: { extra: [RANDOM] }, extraModules: [{ name: 'one', template }], ...more });
}

const PETS = `resource "random_pet" "extra_bucket" {
  for_each = toset({{list buckets "key"}})
}
`;

describe('an extra module', () => {
  it('stands behind everything of ours, and leaves that as it was', () => {
    const scene = { schedules: SCHEDULES, routes: [route('web', [`app.${ZONE}`])] };
    const without = moduleOf(settle({ ...scene, input: extra(PETS, { extraModules: [] }) }));
    expect(moduleOf(settle({ ...scene, input: extra(PETS) }))).toBe(
      `${without}\n${EXTRA_MARKER}\n\n# one\n\nresource "random_pet" "extra_bucket" {\n  for_each = toset(["${BUCKET}"])\n}\n`,
    );
  });

  it('leaves no trace where its text is empty', () => {
    const template = '{{#each schedules}}resource "random_pet" "extra_{{name}}" {}{{/each}}';
    expect(moduleOf(settle({ input: extra(template) }))).toBe(
      moduleOf(settle({ input: extra(template, { extraModules: [] }) })),
    );
  });

  it('has its provider in the one required_providers', () => {
    const module = moduleOf(settle({ input: extra(PETS) }));
    expect(module.match(/required_providers/g)).toHaveLength(1);
    expect(blockOf(module, 'terraform')).toContain(
      '    random = {\n      source  = "hashicorp/random"\n      version = "3.9.0"\n    }\n',
    );
  });

  it('keeps what it made for a bucket whose Schedule is gone, as the bucket is kept', () => {
    const before = settle({ schedules: SCHEDULES, input: extra(PETS) });
    const observed = applied(before, { outputs: { buckets: { [BUCKET]: 'id' } } });
    expect(moduleOf(settle({ observed, input: extra(PETS) }))).toContain(`toset(["${BUCKET}"])`);
  });

  it('does not change which objects are composed', () => {
    const keys = (more: object): string[] => [...settle({ schedules: SCHEDULES, input: extra(PETS, more) }).resources.keys()]; // prettier-ignore
    expect(keys({})).toEqual(keys({ extraModules: [], providers: {} }));
  });
});

describe('what is refused', () => {
  const cases = [
    {
      name: 'Bucket',
      template: 'resource "b2_bucket" "extra_a" {}',
      says: 'extraModules[0].template: expected no b2_bucket',
    },
    { name: 'State', template: 'removed {}', says: 'extraModules[0].template: expected blocks of type' },
    {
      name: 'Name',
      template: 'output "buckets" {}',
      says: 'extraModules[0].template: expected names that start with extra_',
    },
    { name: 'Raw', template: 'locals {\n  extra_a = "{{{namespace}}}"\n}', says: 'extraModules[0].template: expected values between two' }, // prettier-ignore
  ];
  it.each(cases)('$name, for every namespace', ({ template, says }) => {
    expect(refuse({ input: extra(template) }).fatal).toContain(says);
  });

  it('what only the objects of one namespace bring about', () => {
    const template = '{{#each schedules}}\nresource "random_pet" "extra_{{name}}" {}\n{{/each}}';
    expect(moduleOf(settle({ schedules: SCHEDULES, input: extra(template) }))).toContain(
      '"random_pet" "extra_nightly"',
    );
    const decision = refuse({ schedules: [schedule('with.dot', BUCKET)], input: extra(template) });
    expect(decision.fatal).toContain('extraModules.one: expected resource blocks with a type and a name, got resource');
    expect(decision.requirements.size).toBeGreaterThan(0);
  });

  it('a route that cannot be read where a template reads routes: what was made for it would be destroyed', () => {
    const routes = [route('web', 'no list')];
    const template = 'locals {\n  extra_a = {{list routes "name"}}\n}';
    expect(conditionOf(refuse({ routes, input: extra(template) }), 'IntentSettled')).toMatchObject({
      reason: 'UnreadableRouteInExtraModule',
    });
    // Records are remembered, so this one may go on.
    const records = 'locals {\n  extra_a = {{list records "name"}}\n}';
    expect(settle({ routes, input: extra(records) }).kind).toBe('settled');
  });

  it("an extra provider's other source, which the state does not name", () => {
    const observed = applied(settle({ input: extra(PETS) }), { outputs: { buckets: {} } });
    const fork = { ...RANDOM, source: 'fork/random' };
    expect(refuse({ observed, input: extra(PETS, { providers: { extra: [fork] } }) }).fatal).toContain(
      'providers.random.source would change from hashicorp/random to fork/random',
    );
  });
});

describe('what is observed', () => {
  it('is desired unchanged while waiting, extra text included', () => {
    const observed = applied(settle({ schedules: SCHEDULES, input: extra(PETS) }), { outputs: { buckets: {} } });
    const scene = observe({ observed, input: extra(PETS) });
    const waiting = wait({ ...scene, required: new Map() });
    expect(find(waiting, 'Workspace')?.['spec']).toEqual(
      [...observed.values()].map(({ object }) => object as Record<string, unknown>).find(({ kind }) => kind === 'Workspace')?.['spec'], // prettier-ignore
    );
  });

  it('speaks of no move of ours, however much a comment looks like one', () => {
    const text = '/*\nmoved {\n  from = b2_bucket.b0\n  to   = b2_bucket.backup["demo-a-backups"]\n}\n*/';
    const observed = applied(settle({ schedules: SCHEDULES, input: extra(text) }));
    expect(settle({ observed, schedules: SCHEDULES, input: extra(text) }).kind).toBe('settled');
    const spec = { movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }] };
    const moved = applied(settle({ xr: xr(spec), schedules: SCHEDULES, input: extra(text) }));
    expect(refuse({ observed: moved, schedules: SCHEDULES, input: extra(text) }).fatal).toContain('no longer says');
  });

  it('loses nothing of ours when the extra module goes', () => {
    const observed = applied(settle({ schedules: SCHEDULES, input: extra(PETS) }), { outputs: { buckets: { [BUCKET]: 'id' } } }); // prettier-ignore
    const after = moduleOf(settle({ observed, input: input(DNS_ON) }));
    expect(after).not.toContain('extra');
    expect(after).toContain(`"${BUCKET}" = "${BUCKET}"`);
  });
});
