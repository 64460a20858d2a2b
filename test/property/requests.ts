/**
 * Random requests: namespaces with Schedules and routes of every kind, Inputs and XRs with whatever may be
 * set in them, and what core and the provider made of an earlier answer.
 */
import fc from 'fast-check';
import { decide } from '../../src/decide.ts';
import type { Observation } from '../../src/observation.ts';
import {
  applied,
  input,
  namespaceObject,
  observe,
  route,
  schedule,
  scheduleWith,
  xr,
  ZONE,
  type ApplyOptions,
} from '../fixtures/objects.ts';

type Fields = Readonly<Record<string, unknown>>;

const BUCKETS = ['alpha-1', 'beta-22', 'gamma-3', 'constructor', 'older-5'] as const;
const SPELLINGS = [...BUCKETS, 'Alpha-1', 'BETA-22'];
const NAMES = ['nightly', 'weekly', 'constructor', 'to-string', 'z0'];
const HOSTS = [`a.${ZONE}`, `B.${ZONE}.`, `*.${ZONE}`, 'elsewhere.example.org', ZONE, `un_der.${ZONE}`];
const ID = '4a48fe8875c6214145260818';

const bucket = fc.constantFrom(...BUCKETS);

const secretRef = (name: string, key: string): Fields => ({ name, key });

const anySchedule: fc.Arbitrary<Fields> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    bucket: fc.constantFrom(...SPELLINGS),
    kind: fc.constantFrom('own-secret', 'other-secret', 'native', 'per-job', 'minio', 'none'),
  })
  .map(({ name, bucket: written, kind }) => {
    const b2 = {
      bucket: written,
      accountIDSecretRef: secretRef('elsewhere', 'id'),
      accountKeySecretRef: secretRef('elsewhere', 'key'),
    };
    switch (kind) {
      case 'own-secret':
        return schedule(name, written);
      case 'other-secret':
        return scheduleWith(name, {
          backend: {
            s3: {
              endpoint: 's3.eu-central-003.backblazeb2.com',
              bucket: written,
              accessKeyIDSecretRef: secretRef('mine', 'a'),
            },
          },
        });
      case 'native':
        return scheduleWith(name, { backend: { b2 }, backup: { schedule: '@daily-random' } });
      case 'per-job':
        return scheduleWith(name, { backup: { backend: { b2 } }, check: { backend: { b2: { bucket: 'further-6' } } } });
      case 'minio':
        return scheduleWith(name, { backend: { s3: { endpoint: 'https://minio.example.org', bucket: written } } });
      default:
        return scheduleWith(name, { backup: { schedule: '@daily-random' } });
    }
  });

const anyRoute: fc.Arbitrary<Fields> = fc
  .record({ name: fc.constantFrom(...NAMES), hosts: fc.option(fc.uniqueArray(fc.constantFrom(...HOSTS))) })
  .map(({ name, hosts }) => route(name, hosts ?? undefined));

/** Settings that change what is composed: every branch of the Input that leads to a field. */
const anyInput: fc.Arbitrary<Fields> = fc
  .record(
    {
      ttl: fc.constantFrom('5m', '0s', '1h30m'),
      state: fc.record(
        {
          lockfile: fc.boolean(),
          encryption: fc.record(
            {
              previousSecretRef: fc.constant(secretRef('tofu-encryption', 'old')),
              adoptUnencrypted: fc.boolean(),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
      backup: fc.record(
        {
          keyName: fc.constantFrom('{{namespace}}-{{bucket}}', '{{bucket}}'),
          schedulesSecret: fc.constantFrom<Fields>(
            { name: 'b2.{{bucket}}' },
            { accessKeyIdKey: 'id', secretAccessKeyKey: 'key' },
          ),
        },
        { requiredKeys: [] },
      ),
      dns: fc.constantFrom<Fields>(
        { zones: [ZONE] },
        { zones: [ZONE, `b.${ZONE}`], managementUrl: 'https://netbird.example.org' },
      ),
    },
    { requiredKeys: [] },
  )
  .map(input);

const anySpec: fc.Arbitrary<Fields> = fc
  .record(
    {
      stateBucket: fc.constant('state-one'),
      retainBuckets: fc.boolean(),
      adoptBuckets: fc.constantFrom<readonly Fields[]>([], [{ bucket: 'older-5', bucketId: ID }]),
      releaseBuckets: fc.uniqueArray(bucket, { maxLength: 2 }),
      movedFrom: fc.constantFrom<readonly Fields[]>([], [{ address: 'b2_bucket.b0', bucket: 'alpha-1' }]),
    },
    { requiredKeys: [] },
  )
  .map(spec => ('adoptBuckets' in spec && spec.adoptBuckets.length > 0 ? { ...spec, retainBuckets: true } : spec));

const anyStatus: fc.Arbitrary<Fields | undefined> = fc.option(
  fc
    .uniqueArray(fc.record({ name: bucket, state: fc.constantFrom('Wanted', 'Retained', 'Releasing', 'Released') }), {
      selector: ({ name }) => name,
    })
    .map(buckets => ({ buckets, records: [] })),
  { nil: undefined },
);

interface Scene {
  readonly input: Fields;
  readonly xr: Fields;
  readonly schedules: readonly Fields[];
  readonly routes: readonly Fields[];
  readonly namespaces: readonly Fields[];
}

function byName(object: Fields): string {
  return (object['metadata'] as { name: string }).name;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  input: anyInput,
  xr: fc
    .record({ spec: anySpec, status: anyStatus })
    .map(({ spec, status }) => xr(spec, status === undefined ? {} : { status })),
  schedules: fc.uniqueArray(anySchedule, { selector: byName, maxLength: 4 }),
  routes: fc.uniqueArray(anyRoute, { selector: byName, maxLength: 3 }),
  namespaces: fc.constantFrom<readonly Fields[]>([], [namespaceObject()], [namespaceObject({})]),
});

export const KEYS = Object.fromEntries(
  BUCKETS.map(name => [name, { id: `id-of-${name}`, secret: `secret-of-${name}` }]),
);

/** What the provider says of the Workspace that an earlier answer composed. */
const apply: fc.Arbitrary<ApplyOptions> = fc.record(
  {
    outputs: fc
      .record({ buckets: fc.subarray([...BUCKETS]), records: fc.subarray([`a.${ZONE}`, `old.${ZONE}`]) })
      .map(({ buckets, records }) => ({
        buckets: Object.fromEntries(buckets.map(name => [name, ID])),
        records: Object.fromEntries(records.map(name => [name, '100.64.0.10'])),
      })),
    keys: fc
      .subarray([...BUCKETS])
      .map(names => Object.fromEntries(names.map(name => [name, KEYS[name] ?? { id: '', secret: '' }]))),
    failure: fc.constantFrom('Instance cannot be destroyed', 'something else broke'),
  },
  { requiredKeys: [] },
);

/**
 * A namespace at some moment: alone, or with the objects that the answer for an earlier moment composed. Of
 * two requirements some may be unanswered.
 */
export const anyObservation: fc.Arbitrary<Observation> = fc
  .record({
    now: scene,
    earlier: fc.option(fc.record({ scene, options: apply }), { nil: undefined, freq: 4 }),
    keepsInput: fc.integer({ min: 0, max: 3 }).map(value => value > 0),
    unanswered: fc.oneof(
      { weight: 4, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray(['namespace', 'schedules', 'routes']) },
    ),
  })
  .map(({ now, earlier, keepsInput, unanswered }) => {
    const observed = earlier === undefined ? new Map() : observedAfter(earlier.scene, earlier.options);
    const observation = observe({
      ...now,
      ...(keepsInput && earlier !== undefined ? { input: earlier.scene.input } : {}),
      observed,
    });
    const required = new Map([...observation.required].filter(([key]) => !unanswered.includes(key)));
    return { ...observation, required };
  });

function observedAfter(before: Scene, options: ApplyOptions): Observation['observed'] {
  const decision = decide(observe(before));
  return decision.kind === 'settled' ? applied(decision, options) : new Map();
}
