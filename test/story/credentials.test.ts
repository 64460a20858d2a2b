/** Application keys and the Secrets that carry them to Schedules. */
import { describe, expect, it } from 'vitest';
import type { Settled } from '../../src/decision.ts';
import type { ObservedObject } from '../../src/observation.ts';
import {
  applied,
  conditionOf,
  DNS_ON,
  find,
  input,
  moduleOf,
  refuse,
  schedule,
  scheduleWith,
  settle,
  type Scene,
} from '../fixtures/objects.ts';
import { blockOf, localMap } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const SECRET = `${BUCKET}-b2`;
const SCENE: Scene = { schedules: [schedule('nightly', BUCKET)] };
const KEYS = { [BUCKET]: { id: 'key-id', secret: 'key-secret' } };
const DATA = { ACCESS_KEY_ID: btoa('key-id'), SECRET_ACCESS_KEY: btoa('key-secret') };
const OUTPUTS = { buckets: { [BUCKET]: 'bucket-id' } };

const first = settle(SCENE);
const delivered = settle({ ...SCENE, observed: applied(first, { outputs: OUTPUTS, keys: KEYS }) });

function secretsOf(decision: Settled): readonly string[] {
  return [...decision.resources.values()].flatMap(({ object }) =>
    object.kind === 'Secret' ? [object.metadata.name] : [],
  );
}

/** A Schedule whose backend has these fields besides the endpoint and the bucket. */
function reading(backend: object, s3: object, more: object = {}): unknown {
  const endpoint = 'https://s3.eu-central-003.backblazeb2.com';
  return scheduleWith('nightly', { backend: { ...backend, s3: { endpoint, bucket: BUCKET, ...s3 } }, ...more });
}

describe('field report 10: application keys that old clients cannot use', () => {
  it('makes one key per bucket, restricted to it by bucket_id, with just what restic and k8up need', () => {
    expect(blockOf(moduleOf(first), 'resource "b2_application_key" "backup"')).toBe(
      `resource "b2_application_key" "backup" {
  for_each     = local.application_keys
  key_name     = each.value
  bucket_id    = b2_bucket.backup[each.key].bucket_id
  capabilities = ["deleteFiles", "listAllBucketNames", "listBuckets", "listFiles", "readFiles", "writeFiles"]

  lifecycle {
    create_before_destroy = true
  }
}`,
    );
    expect(localMap(moduleOf(first), 'application_keys')).toEqual({ [BUCKET]: `demo-a-${BUCKET}` });
    expect(moduleOf(first)).not.toContain('bucket_ids');
  });

  it('pins the provider exactly', () => {
    expect(moduleOf(first)).toContain('    b2 = {\n      source  = "Backblaze/b2"\n      version = "0.13.0"\n    }\n');
  });

  it.each(['writeKeys', 'deleteBuckets', 'listKeys', 'bypassGovernance'])('refuses the capability %s', capability => {
    const decision = refuse({ input: input({ backup: { keyCapabilities: ['listFiles', capability] } }) });
    expect(decision.fatal).toContain('backup.keyCapabilities[1]: expected');
    expect(decision.fatal).toContain(`got string "${capability}"`);
  });

  it('writes the same list in whatever order the Input has it: another list replaces every key', () => {
    const keyCapabilities = [
      'writeFiles',
      'deleteFiles',
      'listFiles',
      'listBuckets',
      'readFiles',
      'listAllBucketNames',
    ];
    expect(moduleOf(settle({ ...SCENE, input: input({ ...DNS_ON, backup: { keyCapabilities } }) }))).toBe(
      moduleOf(first),
    );
  });
});

describe('hazard 12: the window of a key rotation', () => {
  it('makes the new key before the old one goes', () => {
    expect(blockOf(moduleOf(first), 'resource "b2_application_key" "backup"')).toContain(
      'create_before_destroy = true',
    );
  });
});

describe('hazard 5: Secrets under names that Schedules choose', () => {
  it('composes one Secret under the name that the function makes, labelled, Opaque', () => {
    expect(find(delivered, 'Secret')).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: SECRET, namespace: 'demo-a', labels: { 'tofuworkspace.fn.kueber.eu/composed': 'true' } },
      type: 'Opaque',
      data: DATA,
    });
  });

  it.each(['tofu-encryption', 'restic', 'workspace-outputs', 'somebody-elses'])(
    'writes nothing to Secret %s, which a Schedule chose, and tells the name to use',
    name => {
      const chosen = reading(
        { repoPasswordSecretRef: { name: 'restic', key: 'password' } },
        { accessKeyIDSecretRef: { name, key: 'passphrase' }, secretAccessKeySecretRef: { name, key: 'k' } },
      );
      const decision = settle({
        schedules: [chosen],
        observed: applied(first, { outputs: OUTPUTS, keys: KEYS }),
      });
      expect(secretsOf(decision)).toEqual([SECRET]);
      expect(conditionOf(decision, 'CredentialsDelivered')).toMatchObject({
        status: 'False',
        reason: 'OtherSecretRead',
        message:
          `Schedule nightly does not read Secret ${SECRET}: set spec.backend.s3.accessKeyIDSecretRef to {name: ${SECRET}, key: ACCESS_KEY_ID} ` +
          `and spec.backend.s3.secretAccessKeySecretRef to {name: ${SECRET}, key: SECRET_ACCESS_KEY}`,
      });
    },
  );

  const foreign: { name: string; schedule: unknown; path: string }[] = [
    {
      name: 'the restic password',
      schedule: reading({ repoPasswordSecretRef: { name: SECRET, key: 'password' } }, {}),
      path: 'spec.backend.repoPasswordSecretRef',
    },
    {
      name: 'an environment',
      schedule: reading({ envFrom: [{ secretRef: { name: SECRET } }] }, {}),
      path: 'spec.backend.envFrom[0].secretRef',
    },
    {
      name: 'where to restore to',
      schedule: reading(
        {},
        {},
        { restore: { restoreMethod: { s3: { accessKeyIDSecretRef: { name: SECRET, key: 'k' } } } } },
      ),
      path: 'spec.restore.restoreMethod.s3.accessKeyIDSecretRef',
    },
    {
      name: "another bucket's credentials",
      schedule: reading(
        {},
        {},
        {
          archive: { backend: { s3: { bucket: 'archive-bucket', accessKeyIDSecretRef: { name: SECRET, key: 'k' } } } },
        },
      ),
      path: 'spec.archive.backend.s3.accessKeyIDSecretRef',
    },
    {
      name: 'a field that a later k8up may add',
      schedule: reading({}, {}, { backup: { hookSecretRef: { name: SECRET, key: 'k' } } }),
      path: 'spec.backup.hookSecretRef',
    },
  ];
  it.each(foreign)('refuses to write a Secret that a Schedule reads for $name', ({ schedule: other, path }) => {
    const decision = refuse({ schedules: [other] });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('SecretInUse');
    expect(decision.fatal).toBe(
      `the credentials of bucket ${BUCKET} would be written to Secret ${SECRET}, which Schedule nightly reads for something else (${path})`,
    );
  });

  it('refuses it where a Schedule without a bucket of ours reads it, too', () => {
    const other = scheduleWith('local', {
      backend: { local: { mountPath: '/' }, repoPasswordSecretRef: { name: SECRET } },
    });
    expect(refuse({ schedules: [schedule('nightly', BUCKET), other] }).fatal).toContain(
      'Schedule local reads for something else',
    );
  });

  it.each([
    'tofu-workspace-s3-credentials',
    'tofu-workspace-b2-credentials',
    'tofu-workspace-netbird-credentials',
    'tofu-encryption',
    'workspace-outputs',
  ])('refuses a template that names %s, which the Workspace reads or writes', name => {
    const bucket = name.slice(0, -1);
    const rest = name.slice(-1);
    const decision = refuse({
      schedules: [schedule('nightly', bucket)],
      input: input({ ...DNS_ON, backup: { schedulesSecret: { name: `{{bucket}}${rest}` } } }),
    });
    expect(decision.fatal).toContain(`would be written to Secret ${name}, which `);
  });

  it('refuses a template without the bucket: two buckets would share a Secret', () => {
    expect(refuse({ input: input({ backup: { schedulesSecret: { name: 'backup' } } }) }).fatal).toContain(
      'backup.schedulesSecret.name: expected a template that uses {{bucket}}',
    );
  });
});

describe('hazard 8: composed credentials vanish when the connection details do', () => {
  const withSecret = (options: Parameters<typeof applied>[1]): ReadonlyMap<string, ObservedObject> =>
    applied(delivered, { outputs: OUTPUTS, ...options });

  it.each([
    { name: 'are missing', options: {} },
    { name: 'lack the bucket', options: { keys: { other: { id: 'i', secret: 's' } } } },
    { name: 'lack the secret half', options: { keys: { [BUCKET]: { id: 'new-id', secret: '' } } } },
    { name: 'lack the id half', options: { keys: { [BUCKET]: { id: '', secret: 'new-secret' } } } },
  ])('keeps the Secret with its data while the details $name', ({ options }) => {
    const decision = settle({ ...SCENE, observed: withSecret(options) });
    expect(find(decision, 'Secret')).toEqual(find(delivered, 'Secret'));
    expect(conditionOf(decision, 'CredentialsDelivered')).toMatchObject({
      status: 'False',
      reason: 'CredentialsStale',
      message: `the Workspace's connection details lack the key of ${BUCKET}: the Secret is kept as it is`,
    });
  });

  it('keeps it, too, while the details are no JSON, and quotes nothing of them', () => {
    const observed = new Map(
      [...withSecret({})].map(([key, value]) => [
        key,
        { ...value, connectionDetails: new Map([['application_key_ids', Buffer.from('S3CR3T-MARKER')]]) },
      ]),
    );
    const decision = settle({ ...SCENE, observed });
    expect(find(decision, 'Secret')).toEqual(find(delivered, 'Secret'));
    expect(JSON.stringify(decision.conditions)).not.toContain('S3CR3T');
  });

  it('takes a rotated key over at once', () => {
    const keys = { [BUCKET]: { id: 'new-id', secret: 'new-secret' } };
    expect(find(settle({ ...SCENE, observed: withSecret({ keys }) }), 'Secret')).toMatchObject({
      data: { ACCESS_KEY_ID: btoa('new-id'), SECRET_ACCESS_KEY: btoa('new-secret') },
    });
  });

  it('makes no Secret before there is a key, and says what it waits for', () => {
    const decision = settle({ ...SCENE, observed: applied(first, { outputs: OUTPUTS }) });
    expect(secretsOf(decision)).toEqual([]);
    expect(conditionOf(decision, 'CredentialsDelivered').message).toBe(
      `waiting for OpenTofu to make the key of ${BUCKET}`,
    );
  });

  it('drops the Secret once no Schedule wants its bucket: the key is gone then', () => {
    expect(secretsOf(settle({ observed: withSecret({ keys: KEYS }) }))).toEqual([]);
  });
});
