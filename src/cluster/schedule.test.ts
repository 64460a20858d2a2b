import { describe, expect, it } from 'vitest';
import { schedule, scheduleWith } from '../../test/fixtures/objects.ts';
import { isDocumentError } from '../errors.ts';
import { parseKubeObject } from '../kube.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

const B2_HOSTS = ['backblazeb2.com'];
const ENDPOINT = 'https://s3.eu-central-003.backblazeb2.com';

function parse(value: unknown): Schedule {
  return parseSchedule(parseKubeObject(value), B2_HOSTS);
}

function s3(bucket: unknown, endpoint: unknown = ENDPOINT): unknown {
  return { s3: { endpoint, bucket } };
}

describe('effective backend', () => {
  const cases: { name: string; reason: string; spec: unknown; bucket: string | undefined }[] = [
    { name: 'SpecBackend', reason: 'spec.backend is first', spec: { backend: s3('bucket-1') }, bucket: 'bucket-1' },
    {
      name: 'BackupBackend',
      reason: 'then that of backup',
      spec: { backup: { backend: s3('bucket-2') }, archive: { backend: s3('bucket-3') } },
      bucket: 'bucket-2',
    },
    {
      name: 'OtherJob',
      reason: 'then those of the other jobs',
      spec: { backup: {}, prune: { backend: s3('bucket-4') } },
      bucket: 'bucket-4',
    },
    {
      name: 'NullIsAbsent',
      reason: 'a null backend is no backend',
      spec: { backend: null, check: { backend: s3('bucket-5') } },
      bucket: 'bucket-5',
    },
    {
      name: 'NativeB2',
      reason: 'the native b2 backend counts, and k8up takes it before s3',
      spec: { backend: { b2: { bucket: 'bucket-6' }, ...(s3('bucket-7') as object) } },
      bucket: 'bucket-6',
    },
    {
      name: 'AzureFirst',
      reason: 'k8up takes azure before s3, so the s3 bucket is never written to',
      spec: { backend: { azure: { container: 'c' }, ...(s3('bucket-8') as object) } },
      bucket: undefined,
    },
    {
      name: 'HostWithoutScheme',
      reason: 'k8up takes an endpoint without scheme',
      spec: { backend: s3('bucket-9', 'S3.EU-CENTRAL-003.BackBlazeB2.com:443') },
      bucket: 'bucket-9',
    },
    {
      name: 'LookalikeHost',
      reason: 'a domain that only ends with the same letters is another one',
      spec: { backend: s3('bucket-a', 'https://s3.notbackblazeb2.com') },
      bucket: undefined,
    },
    {
      name: 'LookalikeUser',
      reason: 'the host of a URL is not its user part',
      spec: { backend: s3('bucket-b', 'https://backblazeb2.com@evil.test') },
      bucket: undefined,
    },
    {
      name: 'NoEndpoint',
      reason: "an empty endpoint is the operator's global default, which is not known here",
      spec: { backend: s3('bucket-c', '') },
      bucket: undefined,
    },
    { name: 'NoBackend', reason: 'a Schedule may rely on the operator alone', spec: {}, bucket: undefined },
  ];
  it.each(cases)('$name: $reason', ({ spec, bucket }) => {
    const { backend } = parse(scheduleWith('nightly', spec));
    expect(backend.kind === 'b2' ? backend.bucket : undefined).toBe(bucket);
  });
});

describe('doubt about the effective backend', () => {
  const cases: { name: string; spec: unknown; says: string }[] = [
    {
      name: 'Number',
      spec: { backend: s3(12345678) },
      says: 'Schedule demo-a/nightly: spec.backend.s3.bucket: expected a non-empty string, got number 12345678',
    },
    { name: 'Boolean', spec: { backend: s3(true) }, says: 'got boolean true' },
    { name: 'List', spec: { backend: s3(['x']) }, says: 'got a list of 1' },
    { name: 'Null', spec: { backend: s3(null) }, says: 'got null' },
    {
      name: 'Empty',
      spec: { backup: { backend: s3('') } },
      says: 'spec.backup.backend.s3.bucket: expected a non-empty',
    },
    { name: 'TooShort', spec: { backend: s3('abc') }, says: 'spec.backend.s3.bucket: expected' },
    { name: 'ReservedPrefix', spec: { backend: s3('B2-reserved') }, says: 'spec.backend.s3.bucket: expected' },
    { name: 'PathInBucket', spec: { backend: s3('bucket/path') }, says: 'spec.backend.s3.bucket: expected' },
    { name: 'BackendIsText', spec: { backend: 's3' }, says: 'spec.backend: expected an object, got string "s3"' },
    { name: 'S3IsText', spec: { backend: { s3: 'x' } }, says: 'spec.backend.s3: expected an object' },
    { name: 'EndpointIsNumber', spec: { backend: s3('bucket-1', 9000) }, says: 'spec.backend.s3.endpoint: expected' },
    {
      name: 'EndpointIsNoHost',
      spec: { backend: s3('bucket-1', 'http://[') },
      says: 'spec.backend.s3.endpoint: expected',
    },
  ];
  it.each(cases)('$name is a fault that says where, what was expected and what was found', ({ spec, says }) => {
    let thrown: unknown;
    try {
      parse(scheduleWith('nightly', spec));
    } catch (error) {
      thrown = error;
    }
    expect(isDocumentError(thrown)).toBe(true);
    expect(String(thrown)).toContain(says);
    expect(String(thrown)).not.toMatch(/undefined|\[object Object\]/);
  });
});

describe('further buckets', () => {
  it('are told where a job backs up elsewhere, and only then', () => {
    const { furtherBuckets } = parse(
      scheduleWith('nightly', {
        backend: s3('bucket-1'),
        check: { backend: s3('BUCKET-1') },
        archive: { backend: s3('bucket-2') },
        prune: { backend: s3(7) },
      }),
    );
    expect(furtherBuckets).toEqual([{ path: 'spec.archive.backend.s3', bucket: 'bucket-2' }]);
  });
});

describe('Secret references', () => {
  it('are found by shape at any depth, and told apart from the credentials of a bucket', () => {
    const { secretReferences } = parse(
      scheduleWith('nightly', {
        backend: {
          repoPasswordSecretRef: { name: 'restic', key: 'password' },
          envFrom: [{ secretRef: { name: 'environment' } }],
          rest: { passwordSecretReg: { name: 'rest', key: 'p' } },
        },
        restore: {
          backend: {
            s3: { endpoint: ENDPOINT, bucket: 'bucket-1', accessKeyIDSecretRef: { name: 'keys', key: 'id' } },
          },
          restoreMethod: { s3: { accessKeyIDSecretRef: { name: 'nameless', key: 'id' } } },
          volumes: [{ secret: { secretName: 'volume' } }],
        },
      }),
    );
    expect(secretReferences).toEqual([
      { secret: 'restic', path: 'spec.backend.repoPasswordSecretRef', credentialsOf: undefined },
      { secret: 'environment', path: 'spec.backend.envFrom[0].secretRef', credentialsOf: undefined },
      { secret: 'rest', path: 'spec.backend.rest.passwordSecretReg', credentialsOf: undefined },
      { secret: 'keys', path: 'spec.restore.backend.s3.accessKeyIDSecretRef', credentialsOf: 'bucket-1' },
      { secret: 'nameless', path: 'spec.restore.restoreMethod.s3.accessKeyIDSecretRef', credentialsOf: undefined },
      { secret: 'volume', path: 'spec.restore.volumes[0].secret.secretName', credentialsOf: undefined },
    ]);
  });

  it('that read the credentials are told with their paths', () => {
    const { backend } = parse(schedule('nightly', 'bucket-1'));
    expect(backend).toMatchObject({
      credentials: {
        id: { name: 'bucket-1-b2', key: 'ACCESS_KEY_ID' },
        secret: { name: 'bucket-1-b2', key: 'SECRET_ACCESS_KEY' },
      },
      credentialPaths: ['spec.backend.s3.accessKeyIDSecretRef', 'spec.backend.s3.secretAccessKeySecretRef'],
    });
  });
});
