/** What is asked of core, and what becomes of its answers. */
import { Ready, Severity } from '@crossplane-org/function-sdk-typescript';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide.ts';
import type { Observation } from '../../src/observation.ts';
import {
  applied,
  conditionOf,
  DNS_ON,
  input,
  moduleOf,
  namespaceObject,
  observe,
  refuse,
  route,
  schedule,
  scheduleWith,
  settle,
  wait,
  xr,
} from '../fixtures/objects.ts';
import { answer, requestOf } from '../fixtures/requests.ts';
import { localMap } from '../fixtures/texts.ts';

const HOST = 'app.int.example.test';
const LABELS = { 'crossplane-workspace': 'true' };

/** The same, with only these requirements answered. */
function answered(observation: Observation, ...keys: readonly string[]): Observation {
  return { ...observation, required: new Map([...observation.required].filter(([key]) => keys.includes(key))) };
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map(rest => [item, ...rest]));
}

describe('field report 1: label selector loses its namespace', () => {
  it('asks by label and the namespace of the XR, for both kinds', () => {
    const { requirements } = answer(requestOf(answered(observe())));
    expect(requirements?.resources).toEqual({
      namespace: {
        apiVersion: 'v1',
        kind: 'Namespace',
        matchName: 'demo-a',
        matchLabels: undefined,
        namespace: undefined,
      },
      routes: {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        matchName: undefined,
        matchLabels: { labels: LABELS },
        namespace: 'demo-a',
      },
      schedules: {
        apiVersion: 'k8up.io/v1',
        kind: 'Schedule',
        matchName: undefined,
        matchLabels: { labels: LABELS },
        namespace: 'demo-a',
      },
    });
  });

  it("puts a stranger's objects aside: they change nothing but one warning", () => {
    const own = observe({ schedules: [schedule('nightly', 'demo-a-backups')], routes: [route('web', [HOST])] });
    const mixed = observe({
      schedules: [
        schedule('nightly', 'demo-b-backups', { namespace: 'demo-b' }),
        schedule('nightly', 'demo-a-backups'),
        // Unreadable where it is not ours: no reason to refuse.
        scheduleWith('broken', { backend: { s3: 'demo-b-backups' } }, { namespace: 'demo-b' }),
      ],
      routes: [route('web', ['demo-b-backups.int.example.test'], { namespace: 'demo-b' }), route('web', [HOST])],
    });
    const decision = settle(mixed);
    expect(decision.warnings).toEqual([
      '3 objects of other namespaces, kinds or labels were in the answer and are ignored',
    ]);
    expect({ ...decision, warnings: [] }).toEqual(settle(own));
    expect(JSON.stringify(answer(requestOf(mixed)))).not.toContain('demo-b-backups');
  });

  it.each([
    { name: 'absent', metadata: { namespace: undefined } },
    { name: 'empty', metadata: { namespace: '' } },
  ])('refuses an XR whose namespace is $name: it would ask for every namespace', ({ metadata }) => {
    const decision = refuse({ xr: xr({}, { metadata }) });
    expect(decision.fatal).toContain(
      'metadata.namespace: expected a namespace (an empty one would mean all namespaces)',
    );
    expect(decision.requirements.size).toBe(0);
  });
});

describe('field report 3: unresolved is not empty', () => {
  const whole = observe();
  it.each([
    { name: 'nothing', keys: [], missing: 'namespace, routes, schedules' },
    { name: 'only the Schedules', keys: ['schedules'], missing: 'namespace, routes' },
    { name: 'all but the Schedules', keys: ['namespace', 'routes'], missing: 'schedules' },
  ])('waits while $name is answered: no Workspace from an empty set', ({ keys, missing }) => {
    const decision = wait(answered(whole, ...keys));
    expect(decision.resources.size).toBe(0);
    expect(decision.requirements.size).toBe(3);
    expect(conditionOf(decision, 'IntentSettled')).toMatchObject({
      status: 'False',
      reason: 'WaitingForRequiredResources',
      message: `Crossplane has not answered for: ${missing}`,
    });
  });

  it('passes on what earlier steps desire, uncached and not ready, while it waits', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { list: 'one' } };
    const { desired, meta } = answer(requestOf(answered(observe({ desired: new Map([['other', other]]) }))));
    expect(Object.keys(desired?.resources ?? {})).toEqual(['other']);
    expect(desired?.resources.other?.resource).toEqual(other);
    expect(desired?.composite?.ready).toBe(Ready.READY_FALSE);
    expect(meta?.ttl).toEqual({ seconds: 0, nanos: 0 });
  });

  it('desires what exists exactly as it is while it waits, whatever the Workspace holds', () => {
    const before = settle({ schedules: [schedule('nightly', 'demo-a-backups')], routes: [route('web', [HOST])] });
    const observed = applied(before, {
      outputs: { buckets: { 'demo-a-backups': 'id' }, records: { [HOST]: '100.64.0.10' } },
      keys: { 'demo-a-backups': { id: 'i', secret: 's' } },
    });
    const decision = wait(answered(observe({ observed }), 'namespace', 'routes'));
    const objects = (from: typeof before.resources): unknown =>
      [...from].map(([key, { object }]) => [key, object] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(objects(decision.resources)).toEqual(objects(before.resources));
  });

  it('takes two empty lists for what they say: a whole Workspace with empty maps', () => {
    const module = moduleOf(settle(whole));
    expect(localMap(module, 'buckets')).toEqual({});
    expect(localMap(module, 'application_keys')).toEqual({});
    expect(localMap(module, 'records')).toEqual({});
    expect(module).toContain('resource "b2_bucket" "backup" {\n  for_each    = local.buckets\n');
    expect(module).toContain('resource "netbird_dns_record" "internal" {\n  for_each = local.records\n');
  });
});

describe('field report 4: requirements that change between passes', () => {
  const whole = observe({ schedules: [schedule('nightly', 'demo-a-backups')], routes: [route('web', [HOST])] });
  const broken = observe({ schedules: [scheduleWith('nightly', { backend: { s3: 'x' } })] });
  const cases: { name: string; observation: Observation; kind: string }[] = [
    { name: 'nothing answered', observation: answered(whole), kind: 'waiting' },
    { name: 'one key answered', observation: answered(whole, 'schedules'), kind: 'waiting' },
    { name: 'all answered', observation: whole, kind: 'settled' },
    { name: 'an unreadable Schedule', observation: broken, kind: 'refused' },
    { name: 'an unusable XR', observation: observe({ xr: xr({}, { metadata: { name: 'other' } }) }), kind: 'refused' },
    {
      name: 'objects of earlier steps',
      observation: { ...whole, desired: new Map([['other', { kind: 'ConfigMap' }]]) },
      kind: 'settled',
    },
  ];
  const first = JSON.stringify(answer(requestOf(answered(whole))).requirements);

  it.each(cases)('are the same bytes with $name', ({ observation, kind }) => {
    expect(decide(observation).kind).toBe(kind);
    expect(JSON.stringify(answer(requestOf(observation)).requirements)).toBe(first);
  });

  it('are on the Fatal answer for an unreadable Schedule', () => {
    const { requirements, results } = answer(requestOf(broken));
    expect(results.map(({ severity }) => severity)).toEqual([Severity.SEVERITY_FATAL]);
    expect(Object.keys(requirements?.resources ?? {})).toEqual(['namespace', 'routes', 'schedules']);
  });
});

describe('field report 5: fetched lists arrive in any order', () => {
  const schedules = [schedule('a', 'bucket-one'), schedule('b', 'bucket-two'), schedule('c', 'BUCKET-ONE')];
  const routes = [route('x', ['b.int.example.test', HOST]), route('y', [HOST, '*.int.example.test'])];
  const first = answer(requestOf(observe({ schedules, routes })));

  it.each(permutations(schedules).flatMap(some => permutations(routes).map(others => ({ some, others }))))(
    'answers the same in order $some.0.metadata.name $some.1.metadata.name $others.0.metadata.name',
    ({ some, others }) => {
      expect(answer(requestOf(observe({ schedules: some, routes: others })))).toEqual(first);
    },
  );

  it('does not see what only the API server writes', () => {
    const noise = {
      resourceVersion: '4711',
      generation: 9,
      uid: 'other',
      managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
      creationTimestamp: '2026-11-01T08:00:00Z',
    };
    const touched = (objects: readonly object[]): readonly object[] =>
      objects.map(object => ({
        ...object,
        metadata: { ...(object as { metadata: object }).metadata, ...noise },
        status: { conditions: [{ type: 'Ready', status: 'False' }] },
      }));
    expect(answer(requestOf(observe({ schedules: touched(schedules), routes: touched(routes) })))).toEqual(first);
  });
});

describe('field report 46: render is not the cluster', () => {
  const decision = settle({
    schedules: [
      schedule('nightly', 'demo-a-backups'),
      schedule('stranger', 'demo-b-backups', { namespace: 'demo-b' }),
      schedule('unlabelled', 'stray-backups', { labels: {} }),
      schedule('half-labelled', 'stray-backups', { labels: { 'crossplane-workspace': 'false' } }),
      { ...schedule('old', 'old-backups'), apiVersion: 'k8up.io/v1alpha1' },
    ],
    routes: [
      route('web', [HOST]),
      { ...route('old', ['old.int.example.test']), apiVersion: 'gateway.networking.k8s.io/v1beta1' },
    ],
  });

  it('picks up what has the exact version, labels and namespace, and nothing else', () => {
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ 'demo-a-backups': 'demo-a-backups' });
    expect(localMap(moduleOf(decision), 'records')).toEqual({ [HOST]: 'int.example.test' });
    expect(decision.status.read).toEqual({ schedules: 1, routes: 1 });
  });

  it('says how many objects it put aside', () => {
    expect(decision.warnings).toEqual([
      '5 objects of other namespaces, kinds or labels were in the answer and are ignored',
    ]);
  });

  it('names the namespace on every object', () => {
    const details = { outputs: { buckets: {} }, keys: { 'demo-a-backups': { id: 'i', secret: 's' } } };
    const { resources } = settle({
      schedules: [schedule('nightly', 'demo-a-backups')],
      observed: applied(decision, details),
    });
    expect([...resources.values()].map(({ object }) => object.metadata.namespace)).toEqual(
      Array.from({ length: resources.size }, () => 'demo-a'),
    );
    expect([...resources.values()].map(({ object }) => object.kind)).toContain('Secret');
  });
});

describe('further fact: a list of a kind that the cluster does not have fails the whole step', () => {
  it('asks for no routes with DNS off, and needs no answer for them', () => {
    const observation = answered(observe({ input: input() }), 'namespace', 'schedules');
    expect([...settle(observation).requirements.keys()]).toEqual(['namespace', 'schedules']);
  });
});

describe('further fact: core fetches nothing after a Fatal answer', () => {
  it('repeats the requirements on it, so that the next reconcile asks at once', () => {
    const decision = refuse({ input: input(DNS_ON), schedules: [scheduleWith('nightly', { backend: 's3' })] });
    expect([...decision.requirements.keys()]).toEqual(['namespace', 'routes', 'schedules']);
  });
});

describe('further fact: one missing Secret fails every reconcile of the Workspace', () => {
  it.each([
    { name: 'with the label', namespaces: [namespaceObject()], status: 'True', reason: 'Labelled', warnings: [] },
    {
      name: 'without the label',
      namespaces: [namespaceObject({})],
      status: 'False',
      reason: 'LabelMissing',
      warnings: [],
    },
    {
      name: 'that is not found',
      namespaces: [],
      status: 'Unknown',
      reason: 'NamespaceNotFound',
      warnings: ["Crossplane found no Namespace demo-a: can't tell whether its Secrets are delivered"],
    },
  ])('so a Namespace $name is told, and never a reason to refuse', ({ namespaces, status, reason, warnings }) => {
    const decision = settle({ namespaces });
    expect(conditionOf(decision, 'NamespaceLabelled')).toMatchObject({ status, reason });
    expect(decision.warnings).toEqual(warnings);
  });
});
