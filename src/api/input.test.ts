import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isDocumentError } from '../errors.ts';
import { INPUT_API_VERSION, INPUT_KIND, parseInput } from './input.ts';

const HEAD = { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND };

function faultsOf(value: unknown): readonly string[] {
  try {
    parseInput(value);
    return [];
  } catch (error) {
    if (!isDocumentError(error)) throw error;
    return error.faults.map(fault => fault.message);
  }
}

describe('parseInput', () => {
  it('gives one Input for one text, whatever the order of its keys, and nobody can change it', () => {
    const first = parseInput({ ...HEAD, ttl: '7m', state: { region: 'a', key: 'k' } });
    const second = parseInput({ state: { key: 'k', region: 'a' }, ttl: '7m', ...HEAD });
    expect(second).toBe(first);
    expect(() => {
      (first.backup.endpoints as string[]).push('example.test');
    }).toThrow(TypeError);
    expect(parseInput({ ...HEAD, ttl: '7m', state: { region: 'b', key: 'k' } }).state.region).toBe('b');
  });

  it('refuses a fault each time', () => {
    expect(faultsOf({ ...HEAD, ttl: 7 })).toEqual(faultsOf({ ...HEAD, ttl: 7 }));
    expect(faultsOf({ ...HEAD, ttl: 7 })).toHaveLength(1);
  });

  it('has these defaults: a change of any is a change of every cluster', () => {
    expect(parseInput({ ...HEAD, dns: {} })).toEqual(
      parse(`
        apiVersion: tofuworkspace.fn.kueber.eu/v1beta1
        kind: Input
        selector: {matchLabels: {crossplane-workspace: "true"}}
        namespaceLabels: {secrets.tofu-workspace: "true"}
        ttl: 5m
        state:
          bucket: crossplane-talos-workspaces-995867de
          endpoint: https://fsn1.your-objectstorage.com
          region: fsn1
          key: terraform.tfstate
          lockfile: false
          credentialsSecretRef: {name: tofu-workspace-s3-credentials, accessKeyIdKey: AWS_ACCESS_KEY_ID, secretAccessKeyKey: AWS_SECRET_ACCESS_KEY}
          encryption: {secretRef: {name: tofu-encryption, key: passphrase}, keyProviderName: passphrase, adoptUnencrypted: false}
        backup:
          endpoints: [backblazeb2.com]
          credentialsSecretRef: {name: tofu-workspace-b2-credentials, applicationKeyIdKey: B2_APPLICATION_KEY_ID, applicationKeyKey: B2_APPLICATION_KEY}
          keyName: "{{namespace}}-{{bucket}}"
          keyCapabilities: [listAllBucketNames, listBuckets, listFiles, readFiles, writeFiles, deleteFiles]
          lifecycle: {daysFromHidingToDeleting: 30}
          schedulesSecret: {name: "{{bucket}}-b2", accessKeyIdKey: ACCESS_KEY_ID, secretAccessKeyKey: SECRET_ACCESS_KEY}
        dns:
          zones: [int.kueber.eu]
          record: {type: A, content: 100.64.0.10, ttl: 300}
          tokenSecretRef: {name: tofu-workspace-netbird-credentials, key: NB_PAT}
        providers: {b2: {source: Backblaze/b2, version: 0.13.0}, netbird: {source: netbirdio/netbird, version: 0.0.10}, extra: []}
        extraModules: []
      `),
    );
  });

  it('takes a step without Input for one that sets nothing, with DNS off', () => {
    expect(parseInput(undefined)).toEqual(parseInput(HEAD));
    expect(parseInput(undefined).dns).toBeUndefined();
  });

  it('ignores metadata, which tools add', () => {
    expect(faultsOf({ ...HEAD, metadata: { name: 'x', labels: { a: 'b' } } })).toEqual([]);
  });

  const cases: readonly { name: string; reason: string; value: unknown; faults: readonly string[] }[] = [
    {
      name: 'one field',
      reason: 'where, what was expected, what was found',
      value: { ...HEAD, state: { encryption: { secretRef: { name: 'Tofu' } } } },
      faults: [
        'state.encryption.secretRef.name: expected a Secret name (lower-case DNS-1123 subdomain, at most 200 characters), got string "Tofu"',
      ],
    },
    {
      name: 'several fields',
      reason: 'a user fixes them in one go',
      value: { ...HEAD, ttl: '-1s', dns: { record: { ttl: '300' } } },
      faults: [
        'ttl: expected a duration such as "5m", "0s" or "1h30m", at most 24h, got string "-1s"',
        'dns.record.ttl: expected a whole number of seconds from 60 to 86400, got string "300"',
      ],
    },
    {
      name: 'unknown fields',
      reason: 'each under its own path, the names of JavaScript among them',
      value: { ...HEAD, backup: { keyname: 'x', constructor: 1 } },
      faults: [
        'backup.keyname: expected no field of this name, got string "x"',
        'backup.constructor: expected no field of this name, got number 1',
      ],
    },
    {
      name: 'unknown name in a template',
      reason: 'the field and the name',
      value: { ...HEAD, backup: { schedulesSecret: { name: '{{bucket}}-{{app}}' } } },
      faults: [
        'backup.schedulesSecret.name: expected a Handlebars template of text and the names namespace, bucket, got the name "app"',
      ],
    },
    {
      name: 'Secret without the bucket',
      reason: 'two buckets would share it',
      value: { ...HEAD, backup: { schedulesSecret: { name: 'b2' } } },
      faults: [
        'backup.schedulesSecret.name: expected a template that uses {{bucket}}, so that no two share one result, got string "b2"',
      ],
    },
    {
      name: 'default content',
      reason: 'the message shows what the document does not hold',
      value: { ...HEAD, dns: { record: { type: 'AAAA' } } },
      faults: ['dns.record.content: expected an IPv6 address, because the type is AAAA, got string "100.64.0.10"'],
    },
    {
      name: 'label key __proto__',
      reason: 'a selector with one label less matches more',
      value: { ...HEAD, selector: { matchLabels: JSON.parse('{"__proto__":"x","a":"b"}') as unknown } },
      faults: [
        'selector.matchLabels: expected a Kubernetes label key (optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" or "."), got string "__proto__"',
      ],
    },
    { name: 'null', reason: 'is not absence', value: null, faults: ['the document: expected an object, got null'] },
    { name: 'text', reason: 'no object', value: 'x', faults: ['the document: expected an object, got string "x"'] },
    {
      name: 'another kind',
      reason: 'an Input of another function',
      value: { apiVersion: 'pt.fn.crossplane.io/v1beta1', kind: 'Resources' },
      faults: [
        'apiVersion: expected "tofuworkspace.fn.kueber.eu/v1beta1", got string "pt.fn.crossplane.io/v1beta1"',
        'kind: expected "Input", got string "Resources"',
      ],
    },
  ];
  it.each(cases)('names the fault: $name, $reason', ({ value, faults }) => {
    expect(faultsOf(value)).toEqual(faults);
  });
});
