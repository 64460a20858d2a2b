import { describe, expect, it } from 'vitest';
import { schedule, xr } from '../../test/fixtures/objects.ts';
import { parseInput } from '../api/input.ts';
import { parseTofuWorkspace } from '../api/tofu-workspace.ts';
import { parseSchedule } from '../cluster/schedule.ts';
import { parseKubeObject } from '../kube.ts';
import { deriveBuckets, deriveMoves, isB2Schedule, type BucketIntent } from './backup-bucket.ts';
import type { BackupBucket } from './intent.ts';

const HOSTS = ['backblazeb2.com'];

interface Scene {
  readonly schedules?: readonly (readonly [name: string, bucket: string])[];
  readonly remembered?: Readonly<Record<string, string>>;
  readonly released?: readonly string[];
  readonly unmoved?: readonly string[];
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly input?: Readonly<Record<string, unknown>>;
}

function derive({
  schedules = [],
  remembered = {},
  released = [],
  unmoved = [],
  spec = {},
  input = {},
}: Scene): BucketIntent {
  return deriveBuckets({
    input: parseInput({ apiVersion: 'tofuworkspace.fn.kueber.eu/v1beta1', kind: 'Input', ...input }),
    xr: parseTofuWorkspace(xr(spec)),
    memory: {
      names: new Map(Object.entries(remembered)),
      released: new Set(released),
      unmoved: new Set(unmoved),
      proven: true,
      lost: false,
    },
    schedules: schedules
      .map(([name, bucket]) => parseSchedule(parseKubeObject(schedule(name, bucket)), HOSTS))
      .filter(isB2Schedule),
  });
}

function states(intent: BucketIntent): Record<string, string> {
  return Object.fromEntries(intent.buckets.map(({ name, state }) => [name, state]));
}

describe('states', () => {
  it('follow from what is wanted, remembered and given up', () => {
    const intent = derive({
      schedules: [['a', 'wanted-1']],
      remembered: { 'wanted-1': 'wanted-1', 'retained-1': 'retained-1', 'releasing-1': 'releasing-1' },
      released: ['released-1'],
      spec: { releaseBuckets: ['releasing-1', 'released-1', 'unknown-1'] },
    });
    expect(states(intent)).toEqual({
      'released-1': 'Released',
      'releasing-1': 'Releasing',
      'retained-1': 'Retained',
      'wanted-1': 'Wanted',
    });
    expect(intent.unknownReleases).toEqual(['unknown-1']);
  });

  it('let no release begin before the bucket was moved: the guard is not in state yet', () => {
    const scene = { remembered: { 'bucket-1': 'bucket-1' }, spec: { releaseBuckets: ['bucket-1'] } };
    expect(states(derive({ ...scene, unmoved: ['bucket-1'] }))).toEqual({ 'bucket-1': 'Retained' });
    expect(derive({ ...scene, unmoved: ['bucket-1'] }).delayedReleases).toEqual(['bucket-1']);
    expect(states(derive(scene))).toEqual({ 'bucket-1': 'Releasing' });
  });

  it('are at most what status can remember', () => {
    const schedules = Array.from({ length: 1001 }, (_, index) => [`s${index}`, `bucket-${index}`] as const);
    expect(() => derive({ schedules })).toThrow('1001 buckets in one namespace: status remembers at most 1000');
  });

  it('refuse a name that is both wanted and released, in any case', () => {
    expect(() => derive({ schedules: [['a', 'Bucket-1']], spec: { releaseBuckets: ['bucket-1'] } })).toThrow(
      'bucket "bucket-1" is in spec.releaseBuckets and wanted by Schedule a (spec.backend.s3.bucket)',
    );
  });
});

describe('names', () => {
  it('are one bucket without regard to case, with every Schedule', () => {
    expect(
      derive({
        schedules: [
          ['b', 'BUCKET-1'],
          ['a', 'bucket-1'],
        ],
      }).buckets,
    ).toEqual([
      {
        state: 'Wanted',
        key: 'bucket-1',
        name: 'bucket-1',
        schedules: ['a', 'b'],
        applicationKeyName: 'demo-a-bucket-1',
        secretName: 'bucket-1-b2',
      },
    ]);
  });

  it('keep the spelling that is remembered: another one would replace the bucket', () => {
    expect(states(derive({ schedules: [['a', 'bucket-1']], remembered: { 'bucket-1': 'Bucket-1' } }))).toEqual({
      'Bucket-1': 'Wanted',
    });
  });

  it('made by a template are validated on each result', () => {
    const long = 'b'.repeat(60);
    expect(() =>
      derive({ schedules: [['a', long]], input: { backup: { keyName: `${'k'.repeat(50)}-{{bucket}}` } } }),
    ).toThrow('backup.keyName: expected a template that makes a B2 key name');
  });
});

describe('moves', () => {
  const moves = (movedFrom: readonly unknown[], buckets: readonly BackupBucket[]): string[] =>
    deriveMoves(parseTofuWorkspace(xr({ movedFrom })), buckets).map(({ from, resource, key }) =>
      [...from.map(step => (step.kind === 'name' ? step.name : `[${step.index}]`)), '->', resource, key].join(' '),
    );
  const wanted = derive({ schedules: [['a', 'bucket-1']] }).buckets;

  it('carry the key of the same label along', () => {
    expect(moves([{ address: 'module.m[0].b2_bucket.b0', bucket: 'Bucket-1' }], wanted)).toEqual([
      'module m [0] b2_application_key b0 -> b2_application_key bucket-1',
      'module m [0] b2_bucket b0 -> b2_bucket bucket-1',
    ]);
  });

  it('take the key that is named instead', () => {
    const list = [
      { address: 'b2_bucket.b0', bucket: 'bucket-1' },
      { address: 'b2_application_key.k["x"]', bucket: 'bucket-1' },
    ];
    expect(moves(list, wanted)).toEqual([
      'b2_application_key k [x] -> b2_application_key bucket-1',
      'b2_bucket b0 -> b2_bucket bucket-1',
    ]);
  });

  it.each(['b2_bucket.backup["x"]', 'b2_application_key.backup[0]', 'b2_bucket.released_bucket-1'])(
    'come from an older module, not from %s of ours: every plan would fail',
    address => {
      expect(() => moves([{ address, bucket: 'bucket-1' }], wanted)).toThrow(
        'spec.movedFrom[0].address: expected an address of an older module',
      );
    },
  );

  it('may come from a block that is called like ours and stands alone', () => {
    expect(moves([{ address: 'b2_bucket.backup', bucket: 'bucket-1' }], wanted)).toHaveLength(2);
  });

  it('take no key to a bucket that has none, and nothing to one that is gone', () => {
    const list = [{ address: 'b2_bucket.b0', bucket: 'bucket-1' }];
    expect(moves(list, [{ state: 'Retained', key: 'bucket-1', name: 'bucket-1' }])).toEqual([
      'b2_bucket b0 -> b2_bucket bucket-1',
    ]);
    expect(moves(list, [{ state: 'Released', key: 'bucket-1', name: 'bucket-1' }])).toEqual([]);
  });
});
