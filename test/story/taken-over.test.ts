/** Hazards 1 and 2: what an older Composition made is taken over, under its keys and with its resources. */
import { describe, expect, it } from 'vitest';
import { KEY } from '../../src/compose/keys.ts';
import type { KubeObject } from '../../src/kube.ts';
import type { ObservedObject, Observation } from '../../src/observation.ts';
import { applied, conditionOf, moduleOf, observe, refuse, schedule, settle, wait, xr } from '../fixtures/objects.ts';
import { blocksOf, localMap } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const SCHEDULES = [schedule('nightly', BUCKET)];
const NONE: ReadonlyMap<string, Uint8Array> = new Map();
const OPENTOFU = 'opentofu.m.upbound.io/v1beta1';

/** What function-go-templating printed, as the baseline's Composition has it. */
const MODULE = `
resource "b2_bucket" "b0" {
  bucket_name = "${BUCKET}"
  bucket_type = "allPrivate"
  lifecycle {
    prevent_destroy = true
  }
}
resource "b2_application_key" "b0" {
  key_name     = "${BUCKET}"
  bucket_ids   = [b2_bucket.b0.bucket_id]
  capabilities = ["listBuckets"]
}
`;
const CONFIGURATION = `terraform {
  backend "s3" {
    bucket               = "crossplane-talos-workspaces-995867de"
    key                  = "terraform.tfstate"
    workspace_key_prefix = "demo-a"
    endpoints            = { s3 = "https://fsn1.your-objectstorage.com" }
  }
}
`;

function thing(apiVersion: string, kind: string, name: string, spec: object): ObservedObject {
  const object = { apiVersion, kind, metadata: { name, namespace: 'demo-a', uid: `uid-${name}` }, spec };
  return { object, connectionDetails: NONE };
}

/** The three objects of the older Composition, under its keys. */
function baseline(forProvider: object = { source: 'Inline', inlineFormat: 'HCL', module: MODULE }) {
  const reference = (kind: string): object => ({ apiVersion: OPENTOFU, kind, resourceRef: { name: 'workspace' } });
  return new Map<string, ObservedObject>([
    ['workspace', thing(OPENTOFU, 'Workspace', 'workspace', { forProvider })],
    ['providerconfig', thing(OPENTOFU, 'ProviderConfig', 'workspace', { configuration: CONFIGURATION })],
    [
      'usage-providerconfig',
      thing('protection.crossplane.io/v1beta1', 'Usage', 'workspace-providerconfig', {
        of: reference('ProviderConfig'),
        by: reference('Workspace'),
      }),
    ],
  ]);
}

const COVERED = xr({ movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }] });

function keysByIdentity(resources: ReadonlyMap<string, { object: KubeObject }>): Record<string, string> {
  return Object.fromEntries([...resources].map(([key, { object }]) => [`${object.kind} ${object.metadata.name}`, key]));
}

function unanswered(observation: Observation): Observation {
  return { ...observation, required: new Map() };
}

describe('hazard 1: a composition resource key that changes deletes the Workspace', () => {
  it('keeps these keys from version to version: core deletes by key before it applies', () => {
    expect([
      KEY.workspace,
      KEY.providerConfig,
      KEY.providerConfigUsage,
      KEY.trackedUse,
      KEY.secretUsage('s'),
      KEY.credentials('s'),
    ]).toEqual([
      'tofu-workspace',
      'tofu-provider-config',
      'tofu-usage-provider-config',
      'tofu-usage-provider-config-usage',
      'tofu-usage-secret-s',
      'tofu-credentials-s',
    ]);
  });

  it('desires what exists under the key that it has', () => {
    const { resources } = settle({ xr: COVERED, schedules: SCHEDULES, observed: baseline() });
    expect(keysByIdentity(resources)).toMatchObject({
      'Workspace workspace': 'workspace',
      'ProviderConfig workspace': 'providerconfig',
      'Usage workspace-providerconfig': 'usage-providerconfig',
      'Usage workspace-secret-tofu-encryption': 'tofu-usage-secret-tofu-encryption',
    });
  });

  it('desires it under that key while it waits, too', () => {
    const { resources } = wait(unanswered(observe({ xr: COVERED, observed: baseline() })));
    expect(keysByIdentity(resources)).toEqual({
      'Workspace workspace': 'workspace',
      'ProviderConfig workspace': 'providerconfig',
      'Usage workspace-providerconfig': 'usage-providerconfig',
    });
  });

  it('keeps every key of ours that differs, Secrets included', () => {
    const first = settle({ schedules: SCHEDULES });
    const keyNames = Object.fromEntries([...first.resources.keys()].map(key => [key, `older-${key}`]));
    const keys = { [BUCKET]: { id: 'i', secret: 's' } };
    const second = settle({ schedules: SCHEDULES, observed: applied(first, { keyNames, keys }) });
    const renamed = {
      ...keyNames,
      [KEY.trackedUse]: 'older-tracked-use',
      [KEY.credentials(`${BUCKET}-b2`)]: 'older-secret',
    };
    const third = settle({ schedules: SCHEDULES, observed: applied(second, { keyNames: renamed }) });
    expect([...third.resources.keys()].filter(key => !key.startsWith('older-'))).toEqual([]);
    expect(third.resources.get('older-secret')?.object.metadata.name).toBe(`${BUCKET}-b2`);
  });

  it('knows an object by its group, whatever version it is observed in', () => {
    const observed = baseline();
    observed.set(
      'workspace',
      thing('opentofu.m.upbound.io/v1', 'Workspace', 'workspace', { forProvider: { module: '' } }),
    );
    expect(refuse({ observed }).fatal).toContain('its module is not inline HCL');
  });

  it('refuses one object under two keys: whichever is dropped, core deletes it', () => {
    const observed = baseline();
    observed.set('tofu-workspace', thing(OPENTOFU, 'Workspace', 'workspace', { forProvider: { module: MODULE } }));
    const decision = refuse({ xr: xr({ movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }] }), observed });
    expect(decision.fatal).toContain('Workspace demo-a/workspace is composed under tofu-workspace and workspace');
  });

  it('refuses where a key of ours stands for another object', () => {
    const observed = new Map([[KEY.workspace, thing('v1', 'ConfigMap', 'other', {})]]);
    expect(conditionOf(refuse({ observed }), 'IntentSettled').reason).toBe('KeyOccupied');
  });

  it.each([
    { name: 'our Workspace under a key of its own', key: 'theirs', kind: 'Workspace', apiVersion: OPENTOFU },
    { name: 'another object under our key', key: KEY.workspace, kind: 'ConfigMap', apiVersion: 'v1' },
  ])('refuses where an earlier step desires $name', ({ key, kind, apiVersion }) => {
    const desired = new Map([[key, { apiVersion, kind, metadata: { name: 'workspace' } }]]);
    const decision = refuse({ desired });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('DesiredByEarlierStep');
    expect(decision.fatal).toContain(`desires ${kind} workspace under key ${key}`);
  });
});

describe('hazard 2: migration removes the protected block', () => {
  it('refuses a module that is not ours, naming every bucket in it', () => {
    const second = MODULE.replaceAll('b0', 'b1');
    const forProvider = { source: 'Inline', inlineFormat: 'HCL', module: `${MODULE}${second}` };
    const decision = refuse({ schedules: SCHEDULES, observed: baseline(forProvider) });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('ForeignModule');
    expect(decision.fatal).toBe(
      'the module of Workspace demo-a/workspace was not written by this function and holds b2_bucket.b0, b2_bucket.b1: ' +
        'name each address and its bucket in spec.movedFrom, so that nothing is destroyed',
    );
  });

  it('moves bucket and key, once they are named', () => {
    const module = moduleOf(settle({ xr: COVERED, schedules: SCHEDULES, observed: baseline() }));
    expect(blocksOf(module, 'moved')).toEqual([
      `moved {\n  from = b2_application_key.b0\n  to   = b2_application_key.backup["${BUCKET}"]\n}`,
      `moved {\n  from = b2_bucket.b0\n  to   = b2_bucket.backup["${BUCKET}"]\n}`,
    ]);
    expect(localMap(module, 'buckets')).toEqual({ [BUCKET]: BUCKET });
  });

  it('keeps a moved bucket that no Schedule wants, without its key', () => {
    const decision = settle({ xr: COVERED, observed: baseline() });
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Retained' }]);
    expect(blocksOf(moduleOf(decision), 'moved')).toEqual([
      `moved {\n  from = b2_bucket.b0\n  to   = b2_bucket.backup["${BUCKET}"]\n}`,
    ]);
  });

  it('imports a moved bucket as well where both are asked for: OpenTofu takes the two together', () => {
    const spec = {
      movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }],
      adoptBuckets: [{ bucket: BUCKET, bucketId: '0'.repeat(24) }],
    };
    const module = moduleOf(settle({ xr: xr(spec), schedules: SCHEDULES, observed: baseline() }));
    expect(blocksOf(module, 'import')).toHaveLength(1);
    expect(blocksOf(module, 'moved')).toHaveLength(2);
  });

  it.each([
    { name: 'another bucket', bucket: 'other-bucket' },
    { name: 'another spelling', bucket: 'Demo-A-backups' },
  ])('refuses a move to $name than the module has: it would be replaced', ({ bucket }) => {
    const spec = { movedFrom: [{ address: 'b2_bucket.b0', bucket }] };
    expect(refuse({ xr: xr(spec), observed: baseline() }).fatal).toContain(
      `spec.movedFrom moves b2_bucket.b0 to bucket "${bucket}", and its bucket_name is "${BUCKET}"`,
    );
  });

  it.each([
    { name: 'of a remote source', forProvider: { source: 'Remote', module: 'git::https://example.test/m' } },
    { name: 'in JSON', forProvider: { source: 'Inline', inlineFormat: 'JSON', module: '{}' } },
    { name: 'that can not be read whole', forProvider: { source: 'Inline', module: 'resource "b2_bucket" "b0' } },
    { name: 'that calls another', forProvider: { source: 'Inline', module: 'module "m" {\n  source = "./m"\n}\n' } },
  ])('refuses a module $name: nobody sees what it holds', ({ forProvider }) => {
    expect(conditionOf(refuse({ observed: baseline(forProvider) }), 'IntentSettled').reason).toBe('ForeignModule');
  });

  it('needs nothing where the older module holds no bucket', () => {
    const module = 'resource "netbird_dns_record" "r" {\n  name = "b2_bucket.b0"\n}\n';
    const observed = baseline({ source: 'Inline', inlineFormat: 'HCL', module });
    expect(settle({ schedules: SCHEDULES, observed }).status.bucketCount).toBe(1);
  });

  it('marks its own modules in the first line, and takes no other line for the mark', () => {
    const [marker] = moduleOf(settle({})).split('\n');
    expect(marker).toBe('# function-tofu-workspace layout 1: generated, do not edit');
    const forProvider = { source: 'Inline', inlineFormat: 'HCL', module: `\n${marker}\n${MODULE}` };
    expect(refuse({ observed: baseline(forProvider) }).fatal).toContain('b2_bucket.b0');
  });

  it('refuses a module that a newer version wrote', () => {
    const module = moduleOf(settle({})).replace('layout 1:', 'layout 2:');
    const decision = refuse({ observed: baseline({ source: 'Inline', inlineFormat: 'HCL', module }) });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('NewerLayout');
  });

  it('keeps these resource addresses: a change destroys what it no longer names', () => {
    const dns = settle({ schedules: SCHEDULES });
    expect(
      [...moduleOf(dns).matchAll(/^(resource|data) "(.*)" "(.*)" \{$/gm)].map(([, , ...labels]) => labels.join('.')),
    ).toEqual([
      'b2_bucket.backup',
      'b2_application_key.backup',
      'terraform_data.guard',
      'netbird_dns_zone.zone',
      'netbird_dns_record.internal',
    ]);
  });
});

describe('hazard 1: what an older Composition made under another name', () => {
  const old = new Map([...baseline(), ['old', thing(OPENTOFU, 'Workspace', 'workspace-x7z', {})]]);

  it('is not left out: core would delete it, and its destroy would run', () => {
    const refused = refuse({ xr: COVERED, schedules: SCHEDULES, observed: old });
    expect(conditionOf(refused, 'IntentSettled').reason).toBe('OtherNameComposed');
    expect(refused.fatal).toContain('Workspace demo-a/workspace-x7z');
  });

  it('is kept as it is while waiting', () => {
    const waiting = wait({ ...observe({ xr: COVERED, observed: old }), required: new Map() });
    expect(waiting.resources.get('old')?.object.metadata.name).toBe('workspace-x7z');
  });
});

describe('hazard 3: a release in the middle of a migration', () => {
  const spec = { movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }], releaseBuckets: [BUCKET] };
  const isReleasing = (decision: ReturnType<typeof settle>): boolean =>
    moduleOf(decision).includes(`released_${BUCKET}`);

  it('begins only once the move was applied: before, the guard is not in state, and a destroy would take the bucket', () => {
    const first = settle({ xr: xr(spec), observed: baseline() });
    expect(isReleasing(first)).toBe(false);
    expect(localMap(moduleOf(first), 'buckets')).toEqual({ [BUCKET]: BUCKET });
    expect(first.warnings.join()).toContain(`the release of ${BUCKET} begins once OpenTofu has moved it`);

    const notApplied = settle({ xr: xr(spec), observed: applied(first) });
    expect(isReleasing(notApplied)).toBe(false);

    const moved = settle({ xr: xr(spec), observed: applied(first, { outputs: { buckets: { [BUCKET]: 'id' } } }) });
    expect(isReleasing(moved)).toBe(true);
    // Once begun it goes on, whatever becomes of the outputs: its resource has left the protected block.
    expect(isReleasing(settle({ xr: xr(spec), observed: applied(moved) }))).toBe(true);
  });
});

describe('further fact: the API server refuses a server-side apply with managedFields', () => {
  it('desires, while it waits, identity, our own marks and content, and nothing that the API server owns', () => {
    const first = settle({ schedules: SCHEDULES });
    const observed = new Map(
      [...applied(first, { keys: { [BUCKET]: { id: 'i', secret: 's' } } })].map(
        ([key, { object, connectionDetails }]) => {
          const { metadata, ...rest } = object as KubeObject;
          const noise = {
            managedFields: [{ manager: 'x' }],
            finalizers: ['f'],
            ownerReferences: [{ kind: 'TofuWorkspace' }],
            creationTimestamp: '2026-11-01T08:00:00Z',
            labels: { ...metadata.labels, 'crossplane.io/composite': 'workspace' },
          };
          return [
            key,
            { object: { ...rest, metadata: { ...metadata, ...noise }, status: { conditions: [] } }, connectionDetails },
          ];
        },
      ),
    );
    const { resources } = wait(unanswered(observe({ observed })));
    expect(resources.size).toBe(first.resources.size);
    for (const { object } of resources.values()) {
      expect(['apiVersion', 'data', 'kind', 'metadata', 'spec', 'type']).toEqual(
        expect.arrayContaining(Object.keys(object).sort()),
      );
      expect(['annotations', 'labels', 'name', 'namespace']).toEqual(
        expect.arrayContaining(Object.keys(object.metadata).sort()),
      );
      expect(object.metadata.labels).toEqual({ 'tofuworkspace.fn.kueber.eu/composed': 'true' });
    }
  });
});
