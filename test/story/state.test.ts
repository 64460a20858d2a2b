/** The state: its address, its backend and its encryption. */
import { describe, expect, it } from 'vitest';
import { readPath } from '../../src/kube.ts';
import type { ObservedObject } from '../../src/observation.ts';
import {
  applied,
  conditionOf,
  configurationOf,
  find,
  input,
  moduleOf,
  observe,
  refuse,
  route,
  schedule,
  settle,
  xr,
  type Scene,
} from '../fixtures/objects.ts';
import { decide } from '../../src/decide.ts';

const BUCKET = 'demo-a-backups';
const SCENE: Scene = { schedules: [schedule('nightly', BUCKET)], routes: [route('web', ['app.int.example.test'])] };
const first = settle(SCENE);
const observed = applied(first, { outputs: { buckets: { [BUCKET]: 'id' }, records: {} } });
const ADDRESS =
  'https://fsn1.your-objectstorage.com/crossplane-talos-workspaces-995867de/demo-a/workspace/terraform.tfstate';

function without(kind: string): ReadonlyMap<string, ObservedObject> {
  return new Map([...observed].filter(([, { object }]) => readPath(object, 'kind') !== kind));
}

/** Its `backend "s3"` block. */
function backendOf(configuration: string): string {
  return /^ {2}backend "s3" \{\n(?: {4}.*\n)* {2}\}$/m.exec(configuration)?.[0] ?? '';
}

function encryptionOf(encryption: object): string {
  const configuration = configurationOf(settle({ input: input({ state: { encryption } }) }));
  return /^ {2}encryption \{\n(?: {4}.*\n|\n)* {2}\}$/m.exec(configuration)?.[0] ?? '';
}

describe('field report 8: two namespaces share one state', () => {
  function prefixIn(namespace: string): string | undefined {
    const observation = observe({ xr: xr({}, { metadata: { namespace } }), namespaces: [] });
    const decision = decide(observation);
    if (decision.kind !== 'settled') throw new Error(JSON.stringify(decision.conditions));
    return /workspace_key_prefix += "(.*)"/.exec(configurationOf(decision))?.[1];
  }

  it('keeps them apart by the namespace, whole, and by nothing else', () => {
    expect(['demo-a', 'demo-a-b', 'demo'].map(prefixIn)).toEqual(['demo-a', 'demo-a-b', 'demo']);
  });

  it("uses the Input's key literally, so that existing state keeps its address", () => {
    const configuration = configurationOf(settle({ input: input({ state: { key: 'tofu/lab.tfstate' } }) }));
    expect(configuration).toContain('key                         = "tofu/lab.tfstate"\n');
  });

  it('refuses a second TofuWorkspace in the namespace: it would claim the same buckets in another state', () => {
    expect(refuse({ xr: xr({}, { metadata: { name: 'second' } }) }).fatal).toContain(
      'metadata.name: expected "workspace" (a second TofuWorkspace in a namespace would claim the same buckets in another state)',
    );
  });
});

describe('field report 9: a new XR means a new name and an orphaned state', () => {
  it.each([
    { name: 'uid', metadata: { uid: 'u-2' } },
    { name: 'label', metadata: { labels: { team: 'other' } } },
    { name: 'annotation', metadata: { annotations: { note: '${x}' } } },
    { name: 'generated name', metadata: { generateName: 'workspace-' } },
  ])('composes the same with another $name', ({ metadata }) => {
    expect(settle({ ...SCENE, xr: xr({}, { metadata }) })).toEqual(first);
  });

  it('names the Workspace, its namespace and its OpenTofu workspace', () => {
    expect(find(first, 'Workspace')?.metadata).toMatchObject({
      name: 'workspace',
      namespace: 'demo-a',
      annotations: { 'crossplane.io/external-name': 'workspace' },
    });
  });

  it('names the bucket as the Schedule does, and the key by the bucket', () => {
    expect(moduleOf(first)).toContain(`  buckets = {\n    "${BUCKET}" = "${BUCKET}"\n  }\n`);
    expect(moduleOf(first)).toContain(`  application_keys = {\n    "${BUCKET}" = "demo-a-${BUCKET}"\n  }\n`);
  });
});

describe('field report 36: S3 that is not AWS', () => {
  const backend = (lockfile: boolean): string => `  backend "s3" {
    bucket                      = "crossplane-talos-workspaces-995867de"
    key                         = "terraform.tfstate"
    region                      = "fsn1"
    workspace_key_prefix        = "demo-a"
    endpoints                   = { s3 = "https://fsn1.your-objectstorage.com" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true${lockfile ? '\n    use_lockfile                = true' : ''}
  }`;

  it('has the flags of a store that is not AWS, and no lock unless asked for', () => {
    expect(backendOf(configurationOf(settle({ input: input() })))).toBe(backend(false));
  });

  it('locks where the Input says so', () => {
    expect(backendOf(configurationOf(settle({ input: input({ state: { lockfile: true } }) })))).toBe(backend(true));
  });
});

describe('field report 38: state encryption: rename, rotate, adopt', () => {
  const previousSecretRef = { name: 'tofu-encryption-old', key: 'passphrase' };

  it('encrypts state and plan, enforced', () => {
    expect(encryptionOf({})).toContain(`    state {
      method   = method.aes_gcm.current
      enforced = true
`);
    expect(encryptionOf({})).toContain(`    plan {
      method   = method.aes_gcm.current
      enforced = true
    }
`);
  });

  it.each([
    { name: 'current', encryption: {} },
    { name: 'rotating', encryption: { previousSecretRef } },
    { name: 'adopting', encryption: { adoptUnencrypted: true } },
  ])('keeps the labels of key provider and method: $name', ({ encryption }) => {
    const text = encryptionOf(encryption);
    expect(/key_provider "pbkdf2" "([^"]*)"/.exec(text)?.[1]).toBe('passphrase');
    expect(/method "aes_gcm" "([^"]*)"/.exec(text)?.[1]).toBe('current');
    expect(
      [...text.matchAll(/passphrase += (.*)$/gm)].map(([, value]) => value).filter(value => !value?.startsWith('var.')),
    ).toEqual([]);
  });

  it('reads what the previous passphrase wrote, from a Secret of its own', () => {
    const decision = settle({ input: input({ state: { encryption: { previousSecretRef } } }) });
    expect(encryptionOf({ previousSecretRef })).toContain(`      fallback {
        method = method.aes_gcm.previous
      }
`);
    expect(readPath(find(decision, 'Workspace'), 'spec', 'forProvider', 'env')).toContainEqual({
      name: 'TF_VAR_state_passphrase_previous',
      secretKeyRef: previousSecretRef,
    });
  });

  it('reads plain state while adopting, and enforces nothing then: OpenTofu refuses the two together', () => {
    const text = encryptionOf({ adoptUnencrypted: true });
    expect(text).toContain('method "unencrypted" "plain" {}');
    expect(text).toContain('    state {\n      method   = method.aes_gcm.current\n      enforced = false\n');
    expect(text).toContain('method = method.unencrypted.plain\n');
    expect(encryptionOf({})).not.toContain('unencrypted');
  });

  it('refuses another label for the key provider: state would be unreadable', () => {
    const scene = {
      ...SCENE,
      observed,
      input: input({ dns: { zones: ['int.example.test'] }, state: { encryption: { keyProviderName: 'other' } } }),
    };
    const decision = refuse(scene);
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('KeyProviderRenamed');
    expect(decision.fatal).toContain('would be renamed from passphrase, passphrase_rotated to other');
  });
});

describe('field report 39: interrupted applies, stuck locks', () => {
  const parameters = (lockfile: boolean): unknown =>
    readPath(find(settle({ input: input({ state: { lockfile } }) }), 'Workspace'), 'spec', 'forProvider');

  it('waits for a lock in apply and destroy alike, and leaves plan to the provider', () => {
    expect(parameters(true)).toMatchObject({ applyArgs: ['-lock-timeout=5m'], destroyArgs: ['-lock-timeout=5m'] });
    expect(parameters(true)).not.toHaveProperty('planArgs');
  });

  it('says nothing of locks where there are none', () => {
    expect(Object.keys(parameters(false) as object)).toEqual(['source', 'inlineFormat', 'module', 'env']);
  });
});

describe('hazard 6: a changed state address silently starts an empty state', () => {
  const dns = { zones: ['int.example.test'] };
  const changes: { name: string; scene: Scene; to: string }[] = [
    {
      name: 'bucket of the Input',
      scene: { input: input({ dns, state: { bucket: 'other-state' } }) },
      to: ADDRESS.replace('crossplane-talos-workspaces-995867de', 'other-state'),
    },
    {
      name: 'bucket of the XR',
      scene: { xr: xr({ stateBucket: 'other-state' }) },
      to: ADDRESS.replace('crossplane-talos-workspaces-995867de', 'other-state'),
    },
    {
      name: 'endpoint',
      scene: { input: input({ dns, state: { endpoint: 'https://s3.example.test' } }) },
      to: ADDRESS.replace('fsn1.your-objectstorage.com', 's3.example.test'),
    },
    {
      name: 'key',
      scene: { input: input({ dns, state: { key: 'other.tfstate' } }) },
      to: ADDRESS.replace('terraform.tfstate', 'other.tfstate'),
    },
  ];
  it.each(changes)('refuses another $name, naming both addresses', ({ scene, to }) => {
    const decision = refuse({ ...SCENE, ...scene, observed });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('StateAddressChanged');
    expect(decision.fatal).toBe(
      `the state would move from ${ADDRESS} to ${to}, where OpenTofu would start an empty one: ` +
        `refused until the state was moved by hand and spec.stateMigratedTo is ${to}`,
    );
  });

  it.each(changes)("takes a human's word for another $name, if it is the new address", ({ scene, to }) => {
    const spec = (scene.xr as { spec?: object } | undefined)?.spec ?? {};
    const moved = (stateMigratedTo: string): Scene => ({
      ...SCENE,
      ...scene,
      observed,
      xr: xr({ ...spec, stateMigratedTo }),
    });
    expect(settle(moved(to)).kind).toBe('settled');
    expect(refuse(moved(ADDRESS)).fatal).toContain('would start an empty one');
  });

  it('remembers the address on the Workspace while the ProviderConfig is gone', () => {
    const gone = without('ProviderConfig');
    expect(settle({ ...SCENE, observed: gone }).kind).toBe('settled');
    expect(refuse({ ...SCENE, observed: gone, xr: xr({ stateBucket: 'other-state' }) }).fatal).toContain(
      `from ${ADDRESS} to `,
    );
  });

  it('refuses an external name that is not ours: it is part of the address', () => {
    const renamed = new Map(
      [...observed].map(([key, { object, connectionDetails }]) => {
        const { kind, metadata } = object as { kind: string; metadata: object };
        const annotations = { 'crossplane.io/external-name': 'elsewhere' };
        return [
          key,
          {
            object: kind === 'Workspace' ? { ...(object as object), metadata: { ...metadata, annotations } } : object,
            connectionDetails,
          },
        ];
      }),
    );
    expect(refuse({ ...SCENE, observed: renamed }).fatal).toContain(
      `from ${ADDRESS.replace('/workspace/', '/elsewhere/')} to`,
    );
  });

  it('refuses a ProviderConfig that keeps state elsewhere', () => {
    const local = new Map(
      [...observed].map(([key, { object, connectionDetails }]) => {
        const { kind } = object as { kind: string };
        const spec = { configuration: 'terraform {\n  backend "kubernetes" {}\n}\n' };
        return [
          key,
          { object: kind === 'ProviderConfig' ? { ...(object as object), spec } : object, connectionDetails },
        ];
      }),
    );
    expect(refuse({ ...SCENE, observed: local }).fatal).toContain('from a configuration without backend "s3" to');
  });

  it.each([
    { name: 'region', state: { region: 'hel1' } },
    { name: 'locking', state: { lockfile: true } },
  ])('lets $name change: it names no other state', ({ state }) => {
    expect(settle({ ...SCENE, observed, input: input({ dns, state }) }).kind).toBe('settled');
  });

  it.each(['b2', 'netbird'])('guards the source of provider %s, too', provider => {
    const providers = { [provider]: { source: `fork/${provider}` } };
    const decision = refuse({ ...SCENE, observed, input: input({ dns, providers }) });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('ProviderSourceChanged');
    expect(decision.fatal).toContain(`providers.${provider}.source would change from`);
  });

  it('lets the version of a provider change', () => {
    const decision = settle({ ...SCENE, observed, input: input({ dns, providers: { b2: { version: '0.13.1' } } }) });
    expect(moduleOf(decision)).toContain('version = "0.13.1"');
  });
});
