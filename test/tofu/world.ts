/** The remote side that tools/schema-replay keeps: what exists, which calls fail, and which calls changed something. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findTool } from '../conformance/tools.ts';
import { ZONE } from '../fixtures/objects.ts';

type Attributes = Readonly<Record<string, unknown>>;

interface Content {
  readonly objects: Readonly<Record<string, Readonly<Record<string, Attributes>>>>;
  readonly failures: Readonly<Record<string, string>> | null;
  readonly calls: readonly string[] | null;
}

/** RFC 7386: null takes away. */
type MergePatch = { readonly [name: string]: unknown };

/** Why a delete call fails, beside an object's attributes. */
const DELETE_FAILS = '$delete_fails';

export class World {
  static readonly ZONE_ID = 'zone-1';

  readonly path: string;

  /** With the zone that records need, beside what the file holds already. */
  constructor(path: string) {
    this.path = path;
    const zone = { id: World.ZONE_ID, name: 'internal', domain: ZONE, enabled: true };
    this.put('netbird_dns_zone', World.ZONE_ID, zone);
  }

  /** Adds an object, or attributes to it. */
  put(type: string, id: string, attributes: Attributes): void {
    this.#change({ objects: { [type]: { [id]: attributes } } });
  }

  /** As a bucket that holds files: it can't be deleted, and says so; until it is emptied. */
  fill(bucketId: string): void {
    this.put('b2_bucket', bucketId, { [DELETE_FAILS]: 'Cannot delete non-empty bucket' });
  }

  empty(bucketId: string): void {
    this.put('b2_bucket', bucketId, { [DELETE_FAILS]: null });
  }

  /** Objects of a type, by id. */
  objects(type: string): Readonly<Record<string, Attributes>> {
    return this.#read().objects[type] ?? {};
  }

  /** Values of one attribute of all objects of a type, sorted. */
  list(type: string, attribute: string): string[] {
    return Object.values(this.objects(type))
      .map(object => String(object[attribute]))
      .sort();
  }

  /** Makes calls fail, such as `b2_bucket.delete`, with a message; every other call works again. */
  fail(failures: Readonly<Record<string, string>>): void {
    const before = Object.keys(this.#read().failures ?? {}).map(call => [call, null] as const);
    this.#change({ failures: { ...Object.fromEntries(before), ...failures } });
  }

  /** Calls that changed something since the last time this was asked, without identities. */
  takeCalls(sorted = true): string[] {
    const { calls } = this.#change({ calls: [] });
    const names = (calls ?? []).map(call => call.split(' ')[0] ?? '');
    return sorted ? names.sort() : names;
  }

  /** Under the lock of the providers, which may be at work. @returns what was there before */
  #change(patch: MergePatch): Content {
    const { status, stdout, stderr, error } = spawnSync(findTool('schema-replay'), ['change', this.path], {
      encoding: 'utf8',
      input: JSON.stringify(patch),
    });
    if (status !== 0) throw new Error(error?.message ?? stderr);
    return JSON.parse(stdout) as Content;
  }

  #read(): Content {
    return JSON.parse(readFileSync(this.path, 'utf8')) as Content;
  }
}
