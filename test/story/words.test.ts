/** What users are told: readiness, conditions, messages, results, and how long an answer holds. */
import { Ready, Severity } from '@crossplane-org/function-sdk-typescript';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide.ts';
import { readPath } from '../../src/kube.ts';
import type { ObservedObject } from '../../src/observation.ts';
import {
  applied,
  conditionOf,
  DNS_ON,
  input,
  observe,
  refuse,
  route,
  schedule,
  scheduleWith,
  settle,
  xr,
  type Scene,
} from '../fixtures/objects.ts';
import { answer, requestOf } from '../fixtures/requests.ts';

const BUCKET = 'demo-a-backups';
const HOST = 'app.int.example.test';
const SCENE: Scene = { schedules: [schedule('nightly', BUCKET)], routes: [route('web', [HOST])] };
const KEYS = { [BUCKET]: { id: 'i', secret: 's' } };
const OUTPUTS = { buckets: { [BUCKET]: 'id' }, records: { [HOST]: '100.64.0.10' } };
const first = settle(SCENE);
const complete = settle({ ...SCENE, observed: applied(first, { outputs: OUTPUTS, keys: KEYS }) });

describe('field report 30: readiness: never, or too early', () => {
  const all = applied(complete, { outputs: OUTPUTS, keys: KEYS });
  const only = (...kinds: readonly string[]): ReadonlyMap<string, ObservedObject> =>
    new Map([...all].filter(([, { object }]) => kinds.includes(String(readPath(object, 'kind')))));
  const conditions = (ready: string, synced: string): ReadonlyMap<string, ObservedObject> =>
    new Map(
      [...all].map(([key, value]) => {
        if (readPath(value.object, 'kind') !== 'Workspace') return [key, value];
        const list = [
          { type: 'Ready', status: ready },
          { type: 'Synced', status: synced },
        ];
        const status = { ...(readPath(value.object, 'status') as object), conditions: list };
        return [key, { ...value, object: { ...(value.object as object), status } }];
      }),
    );
  const usages = new Map(
    [...all].map(([key, value]) => {
      const isUsage = readPath(value.object, 'kind') === 'Usage';
      return [key, isUsage ? { ...value, object: { ...(value.object as object), status: {} } } : value];
    }),
  );

  it.each([
    { name: 'nothing', observed: new Map<string, ObservedObject>(), ready: [] },
    { name: 'only the ProviderConfig', observed: only('ProviderConfig'), ready: ['ProviderConfig'] },
    {
      name: 'a Workspace with Ready False',
      observed: conditions('False', 'True'),
      ready: ['ProviderConfig', 'Secret', 'Usage'],
    },
    {
      name: 'a Workspace with Synced False',
      observed: conditions('True', 'False'),
      ready: ['ProviderConfig', 'Secret', 'Usage'],
    },
    { name: 'Usages without Ready', observed: usages, ready: ['ProviderConfig', 'Secret', 'Workspace'] },
    { name: 'everything, ready', observed: all, ready: ['ProviderConfig', 'Secret', 'Usage', 'Workspace'] },
  ])('calls ready what does its job, where $name is observed', ({ observed, ready }) => {
    const { resources } = settle({ ...SCENE, observed });
    const kinds = [...resources.values()].filter(resource => resource.ready === true).map(({ object }) => object.kind);
    expect([...new Set(kinds)].sort()).toEqual(ready);
    expect([...resources.values()].map(resource => resource.ready)).not.toContain(undefined);
  });

  it('never calls the composite ready itself', () => {
    for (const observed of [new Map<string, ObservedObject>(), all]) {
      const { desired } = answer(requestOf(observe({ ...SCENE, observed })));
      expect(desired?.composite?.ready).toBe(Ready.READY_UNSPECIFIED);
    }
  });
});

describe('field report 31: conditions that flap', () => {
  const own = [
    'IntentSettled',
    'BucketsScheduled',
    'CredentialsDelivered',
    'RecordsResolved',
    'NamespaceLabelled',
    'WorkspaceApplied',
  ];

  it('sets each of its own types once, and neither Ready nor Synced', () => {
    expect(first.conditions.map(({ type }) => type)).toEqual(own);
  });

  it('says the same each time, also once its own words are on the XR', () => {
    const spoken = complete.conditions.map(condition => ({ ...condition, lastTransitionTime: '2026-11-01T08:00:00Z' }));
    const observed = applied(complete, { outputs: OUTPUTS, keys: KEYS });
    const again = (status: object): unknown => settle({ ...SCENE, observed, xr: xr({}, { status: { ...status } }) });
    expect(again({ ...complete.status, conditions: spoken })).toEqual(again({}));
  });

  it('has no counter, time or run in its words', () => {
    const texts = decide(observe(SCENE)).conditions.map(({ message }) => message);
    expect(decide(observe(SCENE)).conditions.map(({ message }) => message)).toEqual(texts);
    expect(texts.join('\n')).not.toMatch(/\d{2}:\d{2}|20\d\d-|attempt|iteration/);
  });
});

describe('field report 32: error text that blames the wrong thing', () => {
  const withBucket = (bucket: unknown): unknown =>
    scheduleWith('nightly', { backend: { s3: { endpoint: 'https://s3.eu-central-003.backblazeb2.com', bucket } } });

  it.each([
    { bucket: 12345678, got: 'number 12345678' },
    { bucket: true, got: 'boolean true' },
    { bucket: ['x'], got: 'a list of 1' },
    { bucket: { a: 1 }, got: 'an object' },
    { bucket: null, got: 'null' },
    { bucket: undefined, got: 'nothing' },
  ])('says of which Schedule, where, what was wanted and found: $got', ({ bucket, got }) => {
    expect(refuse({ schedules: [withBucket(bucket)] }).fatal).toBe(
      `cannot read Schedule demo-a/nightly: spec.backend.s3.bucket: expected a non-empty string, got ${got}`,
    );
  });

  it('shortens what it quotes', () => {
    const { fatal } = refuse({ schedules: [withBucket('x'.repeat(5000))] });
    expect(fatal.length).toBeLessThan(400);
    expect(fatal).toContain(`got string "${'x'.repeat(64)}"…`);
  });

  it('names every unreadable Schedule in one go', () => {
    const other = scheduleWith('other', { backend: 's3' });
    const { fatal } = refuse({ schedules: [withBucket(7), other] });
    expect(fatal).toContain('Schedule demo-a/nightly, Schedule demo-a/other');
    expect(fatal).toContain('spec.backend: expected an object, got string "s3"');
  });

  it.each([
    { hostnames: HOST, says: `spec.hostnames: expected a list of strings, got string "${HOST}"` },
    { hostnames: { a: 'b' }, says: 'spec.hostnames: expected a list of strings, got an object' },
    {
      hostnames: [null, 5],
      says: 'spec.hostnames[0]: expected a non-empty string, got null; spec.hostnames[1]: expected a non-empty string, got number 5',
    },
  ])('says it of a route, and reads no text letter by letter: $says', ({ hostnames, says }) => {
    const decision = settle({ routes: [route('web', hostnames)] });
    expect(conditionOf(decision, 'RecordsResolved').message).toBe(
      `cannot read HTTPRoute demo-a/web: ${says}; the records that exist stay until it can be read`,
    );
    expect(JSON.stringify(decision.conditions)).not.toMatch(/undefined|\[object Object\]|\n +at /);
  });
});

describe('field report 33: silent nothing, and noise', () => {
  it.each([
    {
      name: 'nothing',
      scene: {},
      says: '0 Schedules and 0 HTTPRoutes with crossplane-workspace=true in demo-a: 0 buckets and 0 records',
    },
    {
      name: 'one of each',
      scene: SCENE,
      says: '1 Schedule and 1 HTTPRoute with crossplane-workspace=true in demo-a: 1 bucket and 1 record',
    },
    {
      name: 'DNS off',
      scene: { ...SCENE, input: input() },
      says: '1 Schedule with crossplane-workspace=true in demo-a: 1 bucket',
    },
  ])('says what it looked for and found: $name', ({ scene, says }) => {
    expect(conditionOf(settle(scene), 'IntentSettled')).toEqual({
      type: 'IntentSettled',
      status: 'True',
      reason: 'Settled',
      message: says,
    });
  });

  it('writes selector and counts to status', () => {
    expect(first.status).toEqual({
      selector: 'crossplane-workspace=true',
      read: { schedules: 1, routes: 1 },
      bucketCount: 1,
      recordCount: 1,
      buckets: [{ name: BUCKET, state: 'Wanted', schedules: ['nightly'] }],
      records: [{ name: HOST, type: 'A', content: '100.64.0.10' }],
      observedGeneration: 1,
    });
  });

  it('sends results for warnings and refusals only', () => {
    const severities = (scene: Scene): readonly Severity[] =>
      answer(requestOf(observe(scene))).results.map(({ severity }) => severity);
    expect(severities({})).toEqual([]);
    expect(severities(SCENE)).toEqual([]);
    expect(severities({ ...SCENE, namespaces: [] })).toEqual([Severity.SEVERITY_WARNING]);
    expect(severities({ schedules: [scheduleWith('nightly', { backend: 's3' })] })).toEqual([Severity.SEVERITY_FATAL]);
  });
});

describe('field report 41: response lifetime', () => {
  const seconds = (scene: Scene): number | undefined => answer(requestOf(observe(scene))).meta?.ttl?.seconds;

  it.each([
    { ttl: '5m', expected: 300 },
    { ttl: '0s', expected: 0 },
    { ttl: '1h30m', expected: 5400 },
  ])('is what the Input says: $ttl', ({ ttl, expected }) => {
    expect(seconds({ input: input({ ...DNS_ON, ttl }) })).toBe(expected);
  });

  it('is five minutes unless told otherwise', () => {
    expect(seconds({})).toBe(300);
  });

  it.each(['-1s', '5 minutes', '25h', '', 60])('refuses %j', ttl => {
    expect(refuse({ input: input({ ttl }) }).fatal).toMatch(/^cannot read Input: ttl: expected /);
  });

  it('is zero while a requirement is not answered, and on a refusal', () => {
    const { meta } = answer({ ...requestOf(observe(SCENE)), requiredResources: {} });
    expect(meta?.ttl).toEqual({ seconds: 0, nanos: 0 });
    expect(seconds({ schedules: [scheduleWith('nightly', { backend: 's3' })] })).toBe(0);
  });
});

describe('further fact: the message of a failed Workspace is a summary, then gzip and base64', () => {
  it('takes the hint from the summary and repeats nothing of the rest', () => {
    const failure = 'async apply failed: secrets "tofu-encryption" not found: H4sIAAAAAAAAA0vOzy0oSi0uTk1RSMxLUUhJLAEA';
    const { reason, message } = conditionOf(
      settle({ ...SCENE, observed: applied(first, { failure }) }),
      'WorkspaceApplied',
    );
    expect(reason).toBe('SecretMissing');
    expect(message).toContain('Secret "tofu-encryption" is not in demo-a');
    expect(message).not.toContain('H4sI');
  });

  it('says where to look when it knows no hint', () => {
    const decision = settle({ ...SCENE, observed: applied(first, { failure: 'something with S3CR3T-MARKER' }) });
    expect(conditionOf(decision, 'WorkspaceApplied')).toMatchObject({
      status: 'False',
      reason: 'NotSynced',
      message: 'OpenTofu reports an error: see the Synced condition of the Workspace',
    });
  });
});
