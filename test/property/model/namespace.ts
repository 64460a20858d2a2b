/** A namespace as its people see it: Schedules, routes, the XR's spec and what they know of it. */
import type { Json } from '../../../src/kube.ts';
import { deriveStateAddress } from '../../../src/intent/state-address.ts';
import {
  DNS_ON,
  input,
  LABELS,
  NAMESPACE,
  namespaceObject,
  route,
  schedule,
  scheduleWith,
  xr,
} from '../../fixtures/objects.ts';
import type { Fields } from './core.ts';
import type { Event } from './events.ts';

interface ScheduleObject {
  readonly bucket: string;
  readonly labelled: boolean;
  readonly readable: boolean;
}

interface RouteObject {
  readonly host: string;
  readonly readable: boolean;
}

export interface Move {
  readonly address: string;
  readonly bucket: string;
}

/** A Schedule in another namespace that carries the label and names this bucket. */
export const STRANGERS_BUCKET = 'stranger-6';

export class Namespace {
  readonly schedules = new Map<string, ScheduleObject>();
  readonly routes = new Map<string, RouteObject>();
  stateBucket: string;
  retain: boolean;
  /** Bucket name → id. */
  readonly adopted = new Map<string, string>();
  readonly released = new Set<string>();
  moved: readonly Move[] = [];
  stateMigratedTo: string | undefined;
  dns = true;
  unanswered: readonly string[] = [];
  status: Fields | undefined;
  /** Keys that anybody ever asked to release. */
  readonly everReleased = new Set<string>();
  private generation = 0;
  private lastSpec: string | undefined;

  constructor(stateBucket: string, retain: boolean) {
    this.stateBucket = stateBucket;
    this.retain = retain;
  }

  /** Keys of the buckets that labelled, readable Schedules back up to. */
  get wanted(): ReadonlySet<string> {
    const counted = [...this.schedules.values()].filter(({ labelled, readable }) => labelled && readable);
    return new Set(counted.map(({ bucket }) => bucket.toLowerCase()));
  }

  /** Keys of the buckets of all labelled Schedules: one that became unreadable still runs as it was. */
  get claimed(): ReadonlySet<string> {
    const labelled = [...this.schedules.values()].filter(schedule => schedule.labelled);
    return new Set(labelled.map(({ bucket }) => bucket.toLowerCase()));
  }

  get hosts(): ReadonlySet<string> {
    return new Set([...this.routes.values()].map(({ host }) => host));
  }

  get input(): Fields {
    return input(this.dns ? DNS_ON : {});
  }

  get composite(): Fields {
    const spec = {
      stateBucket: this.stateBucket,
      retainBuckets: this.retain,
      adoptBuckets: [...this.adopted].map(([bucket, bucketId]) => ({ bucket, bucketId })),
      releaseBuckets: [...this.released],
      movedFrom: this.moved,
      ...(this.stateMigratedTo === undefined ? {} : { stateMigratedTo: this.stateMigratedTo }),
    };
    const metadata = { generation: this.countGeneration(JSON.stringify(spec)) };
    return xr(spec, this.status === undefined ? { metadata } : { metadata, status: this.status });
  }

  /** As the API server counts it: one more with every spec that differs from the last. */
  private countGeneration(spec: string): number {
    if (spec !== this.lastSpec) this.generation += 1;
    this.lastSpec = spec;
    return this.generation;
  }

  addressIn(stateBucket: string): string {
    return deriveStateAddress({
      endpoint: 'https://fsn1.your-objectstorage.com',
      bucket: stateBucket,
      workspaceKeyPrefix: NAMESPACE,
      workspace: 'workspace',
      key: 'terraform.tfstate',
    });
  }

  /** What the cluster answers; a stranger's Schedule is among it, as an old core would send it. */
  get answers(): ReadonlyMap<string, readonly unknown[]> {
    const schedules = [...this.schedules]
      .filter(([, { labelled }]) => labelled)
      .map(([name, { bucket, readable }]) =>
        readable ? schedule(name, bucket) : scheduleWith(name, { backend: { b2: { bucket: 12345678 } } }),
      );
    const routes = [...this.routes].map(([name, { host, readable }]) => route(name, readable ? [host] : host));
    const stranger = {
      ...schedule('stranger', STRANGERS_BUCKET),
      metadata: { name: 's', namespace: 'demo-b', labels: LABELS },
    };
    const answers = new Map<string, readonly unknown[]>([
      ['namespace', [namespaceObject()]],
      ['schedules', [...schedules, stranger]],
      ['routes', routes],
    ]);
    // Core answers what is asked for, and without dns nobody asks.
    if (!this.dns) answers.delete('routes');
    for (const key of this.unanswered) answers.delete(key);
    return answers;
  }

  /** Bucket name → state, as the XR shows it. */
  get shown(): ReadonlyMap<string, string> {
    const buckets = (this.status?.['buckets'] ?? []) as readonly { readonly name: string; readonly state: string }[];
    return new Map(buckets.map(({ name, state }) => [name.toLowerCase(), state]));
  }

  /** Applies an event that only changes objects of the namespace; false for any other. */
  change(event: Event): boolean {
    return this.changeSchedule(event) || this.changeRoute(event) || this.changeSpec(event);
  }

  private changeSchedule(event: Event): boolean {
    switch (event.kind) {
      case 'schedule': {
        const bucket = event.upper ? event.bucket.toUpperCase() : event.bucket;
        this.schedules.set(event.name, { bucket, labelled: true, readable: true });
        return true;
      }
      case 'schedule-goes':
        this.schedules.delete(event.name);
        return true;
      case 'schedule-renamed': {
        const found = this.schedules.get(event.name);
        this.schedules.delete(event.name);
        if (found !== undefined) this.schedules.set(event.to, found);
        return true;
      }
      case 'schedule-labelled':
        update(this.schedules, event.name, { labelled: event.on });
        return true;
      case 'schedule-readable':
        update(this.schedules, event.name, { readable: event.on });
        return true;
      default:
        return false;
    }
  }

  private changeRoute(event: Event): boolean {
    switch (event.kind) {
      case 'route':
        this.routes.set(event.name, { host: event.host, readable: true });
        return true;
      case 'route-goes':
        this.routes.delete(event.name);
        return true;
      case 'route-readable':
        update(this.routes, event.name, { readable: event.on });
        return true;
      case 'dns':
        this.dns = event.on;
        return true;
      default:
        return false;
    }
  }

  private changeSpec(event: Event): boolean {
    switch (event.kind) {
      case 'retain':
        this.retain = event.on;
        return true;
      case 'release':
        this.release(event.upper ? event.bucket.toUpperCase() : event.bucket, event.on);
        return true;
      case 'unanswered':
        this.unanswered = event.keys;
        return true;
      default:
        return false;
    }
  }

  private release(bucket: string, on: boolean): void {
    for (const name of [...this.released]) if (name.toLowerCase() === bucket.toLowerCase()) this.released.delete(name);
    if (!on) return;
    this.released.add(bucket);
    this.everReleased.add(bucket.toLowerCase());
  }

  loseStatus(all: boolean): void {
    if (all) this.status = undefined;
    else if (this.status !== undefined)
      this.status = { ...this.status, buckets: ((this.status['buckets'] ?? []) as readonly Json[]).slice(1) };
  }
}

function update<T>(map: Map<string, T>, key: string, fields: Partial<T>): void {
  const found = map.get(key);
  if (found !== undefined) map.set(key, { ...found, ...fields });
}
