import { describe, expect, it } from 'vitest';
import { schedule, scheduleWith } from '../../test/fixtures/objects.ts';
import { parseInput } from '../api/input.ts';
import { parseSchedule, type Schedule } from '../cluster/schedule.ts';
import type { WantedBucket } from '../intent/intent.ts';
import { parseKubeObject, type KubeObject } from '../kube.ts';
import { readApplicationKeys } from './application-keys.ts';
import { composeCredentialsSecret, findOtherCredentials, refuseForeignSecrets } from './credentials-secret.ts';

const INPUT = parseInput(undefined);
const BUCKET: WantedBucket = {
  state: 'Wanted',
  key: 'bucket-1',
  name: 'bucket-1',
  schedules: ['nightly'],
  applicationKeyName: 'demo-a-bucket-1',
  secretName: 'bucket-1-b2',
};

function parse(value: unknown): Schedule {
  return parseSchedule(parseKubeObject(value), ['backblazeb2.com']);
}

describe('the Secret', () => {
  const compose = (key: { id: string; secret: string } | undefined, observed: KubeObject | undefined): unknown =>
    composeCredentialsSecret(BUCKET, { namespace: 'demo-a', input: INPUT, key, observed });
  const observed = parseKubeObject({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'x' },
    data: { OLD: 'eA==' },
  });

  it('holds exactly its two keys', () => {
    expect(compose({ id: 'id', secret: 'schlüssel' }, observed)).toEqual({
      kind: 'fresh',
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'bucket-1-b2',
          namespace: 'demo-a',
          labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true' },
        },
        type: 'Opaque',
        data: { ACCESS_KEY_ID: 'aWQ=', SECRET_ACCESS_KEY: 'c2NobMO8c3NlbA==' },
      },
    });
  });

  it('stays with its data while the details are missing, under running backups', () => {
    expect(compose(undefined, observed)).toMatchObject({ kind: 'stale', object: { data: { OLD: 'eA==' } } });
  });

  it('is not made before there is a key', () => {
    expect(compose(undefined, undefined)).toEqual({ kind: 'pending' });
  });
});

describe('connection details', () => {
  const details = (ids: string, keys: string): ReadonlyMap<string, Uint8Array> =>
    new Map([
      ['application_key_ids', Buffer.from(ids)],
      ['application_keys', Buffer.from(keys)],
    ]);
  const cases: { name: string; details: ReadonlyMap<string, Uint8Array>; keys: string[] }[] = [
    { name: 'whole', details: details('{"a":"1","b":"2"}', '{"a":"x","b":"y"}'), keys: ['a', 'b'] },
    { name: 'half', details: details('{"a":"1","b":"2"}', '{"b":"y"}'), keys: ['b'] },
    { name: 'empty', details: details('{"a":""}', '{"a":"x"}'), keys: [] },
    { name: 'malformed', details: details('{"a":"1"}', '{"a":"S3CR3T'), keys: [] },
    { name: 'of another shape', details: details('["a"]', '{"0":"x"}'), keys: [] },
    { name: 'missing', details: new Map(), keys: [] },
    {
      name: "named like JavaScript's own",
      details: details('{"constructor":"1"}', '{"constructor":"x"}'),
      keys: ['constructor'],
    },
  ];
  it.each(cases)('that are $name give the keys $keys', ({ details: given, keys }) => {
    expect([...readApplicationKeys(given).keys()]).toEqual(keys);
  });
});

describe('a name that belongs to somebody else is refused', () => {
  const cases: { name: string; schedule: unknown; says: string | undefined }[] = [
    { name: 'the Schedule reads it as its credentials', schedule: schedule('nightly', 'bucket-1'), says: undefined },
    {
      name: 'as the restic password',
      schedule: scheduleWith('other', { backend: { repoPasswordSecretRef: { name: 'bucket-1-b2', key: 'p' } } }),
      says: 'Schedule other reads for something else (spec.backend.repoPasswordSecretRef)',
    },
    {
      name: 'as environment',
      schedule: scheduleWith('other', { backend: { envFrom: [{ secretRef: { name: 'bucket-1-b2' } }] } }),
      says: 'spec.backend.envFrom[0].secretRef',
    },
    {
      name: "as another bucket's credentials",
      schedule: scheduleWith('other', {
        backend: {
          s3: { endpoint: 'x.test', bucket: 'bucket-2', accessKeyIDSecretRef: { name: 'bucket-1-b2', key: 'k' } },
        },
      }),
      says: 'spec.backend.s3.accessKeyIDSecretRef',
    },
  ];
  it.each(cases)('$name', ({ schedule: value, says }) => {
    const act = (): void => {
      refuseForeignSecrets([BUCKET], new Map(), [parse(value)]);
    };
    if (says === undefined) expect(act).not.toThrow();
    else expect(act).toThrow(says);
  });

  it('because the Workspace reads it', () => {
    expect(() => {
      refuseForeignSecrets([BUCKET], new Map([['bucket-1-b2', 'the Workspace reads']]), []);
    }).toThrow('which the Workspace reads');
  });
});

describe('a Schedule that reads other credentials', () => {
  it('is told what to read', () => {
    const other = scheduleWith('nightly', {
      backend: {
        s3: {
          endpoint: 's3.eu-central-003.backblazeb2.com',
          bucket: 'bucket-1',
          accessKeyIDSecretRef: { name: 'mine', key: 'id' },
        },
      },
    });
    expect(findOtherCredentials(BUCKET, parse(other), INPUT)).toBe(
      'Schedule nightly does not read Secret bucket-1-b2: set spec.backend.s3.accessKeyIDSecretRef to {name: bucket-1-b2, key: ACCESS_KEY_ID} ' +
        'and spec.backend.s3.secretAccessKeySecretRef to {name: bucket-1-b2, key: SECRET_ACCESS_KEY}',
    );
    expect(findOtherCredentials(BUCKET, parse(schedule('nightly', 'bucket-1')), INPUT)).toBeUndefined();
  });
});
