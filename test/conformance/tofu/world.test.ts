/** The fake remote side can be changed while providers use it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World } from '../../tofu/world.ts';
import { skipWithout } from '../tools.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'world-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.skipIf(skipWithout('schema-replay'))('a world', () => {
  const start = (): World => new World(join(folder, 'world.json'));

  it('starts with the zone', () => {
    expect(start().list('netbird_dns_zone', 'domain')).toEqual(['int.example.test']);
  });

  it('keeps what the file holds', () => {
    start().put('b2_bucket', '1', { bucket_name: 'demo-files' });
    expect(start().list('b2_bucket', 'bucket_name')).toEqual(['demo-files']);
  });

  it('fills and empties a bucket, and leaves the rest of it', () => {
    const world = start();
    world.put('b2_bucket', '1', { bucket_name: 'demo-files' });
    world.fill('1');
    expect(world.objects('b2_bucket')).toEqual({
      1: { bucket_name: 'demo-files', $delete_fails: 'Cannot delete non-empty bucket' },
    });
    world.empty('1');
    expect(world.objects('b2_bucket')).toEqual({ 1: { bucket_name: 'demo-files' } });
  });

  it('lets go of the failures before', () => {
    const world = start();
    world.fail({ 'b2_bucket.create': 'no', 'b2_bucket.delete': 'no' });
    world.fail({ 'b2_bucket.delete': 'never' });
    expect((JSON.parse(readFileSync(world.path, 'utf8')) as { failures: unknown }).failures).toEqual({
      'b2_bucket.delete': 'never',
    });
    world.fail({});
    expect((JSON.parse(readFileSync(world.path, 'utf8')) as { failures: unknown }).failures).toEqual({});
  });
});
