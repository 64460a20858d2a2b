/** The remote side that tools/schema-replay keeps: what exists, which calls fail, and which calls changed something. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ZONE } from '../fixtures/objects.ts';

type Attributes = Readonly<Record<string, unknown>>;

interface Content {
  readonly objects: Record<string, Record<string, Attributes>>;
  failures: Readonly<Record<string, string>>;
  calls: string[] | null;
}

export class World {
  static readonly ZONE_ID = 'zone-1';

  readonly path: string;

  /** With the zone that records need, and nothing else. */
  constructor(path: string) {
    this.path = path;
    const zone = { id: World.ZONE_ID, name: 'internal', domain: ZONE, enabled: true };
    this.#write({ objects: { netbird_dns_zone: { [World.ZONE_ID]: zone } }, failures: {}, calls: [] });
  }

  /** Adds an object, or replaces it. `$delete_fails` among its attributes is why it can't be deleted. */
  put(type: string, id: string, attributes: Attributes): void {
    this.#change(content => {
      content.objects[type] = { ...content.objects[type], [id]: attributes };
    });
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
    this.#change(content => {
      content.failures = failures;
    });
  }

  /** Calls that changed something since the last time this was asked, without identities. */
  takeCalls(sorted = true): string[] {
    const calls = this.#read().calls ?? [];
    this.#change(content => {
      content.calls = [];
    });
    const names = calls.map(call => call.split(' ')[0] ?? '');
    return sorted ? names.sort() : names;
  }

  #change(change: (content: Content) => void): void {
    const content = this.#read();
    change(content);
    this.#write(content);
  }

  #read(): Content {
    return JSON.parse(readFileSync(this.path, 'utf8')) as Content;
  }

  #write(content: Content): void {
    writeFileSync(this.path, JSON.stringify(content));
  }
}
