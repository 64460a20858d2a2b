import { describe, expect, it } from 'vitest';
import { print } from '../hcl/print.ts';
import { findBlocks, scanStructure } from '../hcl/scan.ts';
import type { BackupBucket, DnsIntent, Intent, RetainedBucket, WantedBucket } from '../intent/intent.ts';
import { intent } from '../../test/fixtures/intent.ts';
import { readLayout } from './marker.ts';
import { buildRootModule } from './root-module.ts';

const dns: DnsIntent = {
  zones: ['int.example.test'],
  records: [{ name: 'app.int.example.test', zone: 'int.example.test' }],
  type: 'A',
  content: '192.0.2.1',
  ttl: 300,
  managementUrl: undefined,
};

function wanted(key: string): WantedBucket {
  const name = key.toUpperCase();
  return { state: 'Wanted', key, name, schedules: ['s'], applicationKeyName: `key-${key}`, secretName: 'secret' };
}

function retained(key: string): RetainedBucket {
  return { state: 'Retained', key, name: key };
}

function printed(change: Partial<Intent>): string {
  return print(buildRootModule({ ...intent, ...change }));
}

describe('buildRootModule', () => {
  it('is this text where there is one of everything', () => {
    const text = printed({
      buckets: [
        wanted('adopted'),
        { state: 'Released', key: 'gone', name: 'gone' },
        { state: 'Releasing', key: 'leaving', name: 'leaving' },
        wanted('moved'),
        retained('old'),
      ],
      adoptions: [{ key: 'adopted', bucketId: '4a48fe8875c6214145260818' }],
      moves: [
        {
          from: [
            { kind: 'name', name: 'b2_bucket' },
            { kind: 'name', name: 'b0' },
            { kind: 'index', index: 0 },
          ],
          resource: 'b2_bucket',
          key: 'moved',
        },
      ],
      dns: { ...dns, managementUrl: 'https://netbird.example.test' },
      encryption: { keyProviderName: 'main', rotating: true, adoptUnencrypted: false },
    });
    expect(text).toMatchSnapshot();
  });

  const states: readonly { name: string; reason: string; buckets: readonly BackupBucket[] }[] = [
    { name: 'None', reason: 'the block that protects must outlive the last Schedule (field report 2)', buckets: [] },
    { name: 'Retained', reason: 'a bucket that lost its Schedule', buckets: [retained('a')] },
    { name: 'Released', reason: 'all given up', buckets: [{ state: 'Released', key: 'a', name: 'a' }] },
  ];
  it.each(states)('keeps the bucket and key blocks with $name: $reason', ({ buckets }) => {
    for (const protectBuckets of [true, false]) {
      const scan = scanStructure(printed({ buckets, protectBuckets }));
      expect(scan.complete).toBe(true);
      expect(findBlocks(scan, 'resource', 'b2_bucket', 'backup')).toHaveLength(1);
      expect(findBlocks(scan, 'resource', 'b2_application_key', 'backup')).toHaveLength(1);
      expect(printed({ buckets, protectBuckets })).toContain(`    prevent_destroy = ${protectBuckets}\n`);
    }
  });

  const guards: readonly { name: string; reason: string; buckets: readonly BackupBucket[]; on: string; off: string }[] =
    [
      { name: 'None', reason: 'a Workspace without buckets must go without help', buckets: [], on: 'no', off: 'no' },
      { name: 'Wanted', reason: 'follows the flag', buckets: [wanted('a')], on: 'true', off: 'false' },
      { name: 'Retained', reason: 'follows the flag', buckets: [retained('a')], on: 'true', off: 'false' },
      {
        name: 'Releasing',
        reason: 'destroy ignores `removed`, so this one guards whatever the flag says (hazard 3)',
        buckets: [{ state: 'Releasing', key: 'a', name: 'a' }],
        on: 'true',
        off: 'true',
      },
      {
        name: 'Released',
        reason: 'what is out of state needs no guard, and teardown must work',
        buckets: [{ state: 'Released', key: 'a', name: 'a' }],
        on: 'no',
        off: 'no',
      },
    ];
  it.each(guards)('guards $name: $reason', ({ buckets, on, off }) => {
    const guard = (protectBuckets: boolean): string =>
      /"guard" \{\n {2}lifecycle \{\n {4}prevent_destroy = (\w+)/.exec(printed({ buckets, protectBuckets }))?.[1] ??
      'no';
    expect([guard(true), guard(false)]).toEqual([on, off]);
  });

  it('names a released bucket nowhere', () => {
    expect(printed({ buckets: [{ state: 'Released', key: 'gone-1', name: 'Gone-1' }] })).not.toMatch(/gone-1/i);
  });

  it('imports only what is in for_each: another import fails the whole plan (hazard 9)', () => {
    const adoptions = [{ key: 'a', bucketId: 'id' }];
    expect(printed({ adoptions, buckets: [retained('a')] })).toContain('\nimport {\n  to = b2_bucket.backup["a"]\n');
    expect(printed({ adoptions })).not.toContain('import {');
  });

  it('shows how to import a bucket that is not adopted, as a comment only', () => {
    const text = printed({ buckets: [wanted('a')] });
    expect(text).toContain('# import {\n#   to = b2_bucket.backup["a"]\n');
    expect(findBlocks(scanStructure(text), 'import')).toHaveLength(0);
  });

  it('has NetBird only with DNS, and then even without a record (field report 20)', () => {
    expect(printed({})).not.toContain('netbird');
    const scan = scanStructure(printed({ dns: { ...dns, zones: [], records: [] } }));
    expect(findBlocks(scan, 'provider').map(block => block.labels)).toEqual([['b2'], ['netbird']]);
    expect(findBlocks(scan, 'data', 'netbird_dns_zone')).toHaveLength(1);
    expect(findBlocks(scan, 'resource', 'netbird_dns_record')).toHaveLength(1);
    expect(findBlocks(scan, 'resource', 'netbird_dns_zone')).toHaveLength(0);
  });

  it('writes a sensitive output for everything that touches a key (field report 28)', () => {
    const scan = scanStructure(printed({ buckets: [wanted('a')], dns }));
    const sensitive = findBlocks(scan, 'output').filter(block => block.attributes.has('sensitive'));
    expect(sensitive.map(block => block.labels[0])).toEqual(['application_key_ids', 'application_keys']);
  });

  it('asks for one more apply while the state is to be rewritten, and only then', () => {
    const output = (rotating: boolean, adoptUnencrypted: boolean): string | undefined =>
      /"state_rewrite" \{\n {2}value = (.*)/.exec(
        printed({ encryption: { keyProviderName: 'main', rotating, adoptUnencrypted } }),
      )?.[1];
    expect(output(false, false)).toBeUndefined();
    expect(output(true, false)).toBe('"rotating"');
    expect(output(false, true)).toBe('"adopting"');
    expect(output(true, true)).toBe('"adopting rotating"');
  });

  it('uses nothing newer than OpenTofu 1.10: every prevent_destroy is a literal (field report 27)', () => {
    const text = printed({ buckets: [wanted('a'), { state: 'Releasing', key: 'b', name: 'b' }], dns });
    expect(text.match(/prevent_destroy = .*/g)).toEqual(['prevent_destroy = true', 'prevent_destroy = true']);
  });
});

describe('readLayout', () => {
  const cases = [
    { name: 'Ours', text: printed({}), expected: 1, reason: 'what we print is ours' },
    {
      name: 'Later',
      text: '# function-tofu-workspace layout 12: generated, do not edit\n',
      expected: 12,
      reason: 'after a downgrade',
    },
    { name: 'Foreign', text: 'terraform {}\n', expected: undefined, reason: 'no marker' },
    { name: 'Empty', text: '', expected: undefined, reason: 'no marker' },
    { name: 'NotFirst', text: `\n${printed({})}`, expected: undefined, reason: 'somebody wrote above it' },
    {
      name: 'Longer',
      text: '# function-tofu-workspace layout 1: generated, do not edit!\n',
      expected: undefined,
      reason: 'another text',
    },
    {
      name: 'Zeros',
      text: '# function-tofu-workspace layout 01: generated, do not edit\n',
      expected: undefined,
      reason: 'we never write it',
    },
  ];
  it.each(cases)('$name: $reason', ({ text, expected }) => {
    expect(readLayout(text)).toBe(expected);
  });
});
