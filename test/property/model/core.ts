/**
 * Model of Crossplane core: calls the function, collects garbage by composition resource key *before* it
 * applies, keeps the name of the object that a key stands for, takes status over, and does nothing at all
 * after a Fatal result. The function is the real one, with its wire; only the server is left out.
 */
import {
  Ready,
  Severity,
  type RunFunctionRequest,
  type RunFunctionResponse,
} from '@crossplane-org/function-sdk-typescript';
import { isDeepStrictEqual } from 'node:util';
import { decide } from '../../../src/decide.ts';
import { decode } from '../../../src/wire/decode.ts';
import { encode } from '../../../src/wire/encode.ts';
import { isRecord, readPath } from '../../../src/kube.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An object in the cluster that the XR composes. */
export interface Composed {
  /** Composition resource key, as core's annotation says. */
  readonly key: string;
  readonly object: Fields;
  readonly connectionDetails: Readonly<Record<string, string>>;
}

export interface Call {
  readonly input: Fields;
  readonly composite: Fields;
  readonly desired: Readonly<Record<string, Fields>>;
  /** What the cluster answers, by requirement key; a key left out stays unanswered. */
  readonly answers: ReadonlyMap<string, readonly unknown[]>;
}

export type Outcome =
  | { readonly kind: 'fatal'; readonly message: string }
  | {
      readonly kind: 'waiting' | 'settled';
      readonly status: Fields | undefined;
      /** Objects that were there and went, for having no key in the answer. */
      readonly collected: readonly Composed[];
    };

/** `group/kind/name`: what makes an object the same one; the namespace is the XR's. */
export function identify(object: Fields): string {
  const apiVersion = String(object['apiVersion']);
  const group = apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
  return `${group}/${String(object['kind'])}/${String(readPath(object, 'metadata', 'name'))}`;
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, convert: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}

function readStatus({ desired }: RunFunctionResponse): Fields | undefined {
  const status: unknown = readPath(desired?.composite?.resource, 'status');
  return isRecord(status) ? status : undefined;
}

export class Cluster {
  /** By identity. */
  readonly objects = new Map<string, Composed>();
  private uid = 0;

  /** The object of a kind; there is never more than one Workspace or ProviderConfig. */
  find(kind: string): Composed | undefined {
    return [...this.objects.values()].find(({ object }) => object['kind'] === kind);
  }

  findByKey(key: string): Composed | undefined {
    return [...this.objects.values()].find(composed => composed.key === key);
  }

  replace(composed: Composed): void {
    this.objects.set(identify(composed.object), composed);
  }

  /** One reconcile of the XR. */
  reconcile(call: Call): Outcome {
    const response = this.run(call);
    const fatal = response.results.find(({ severity }) => severity === Severity.SEVERITY_FATAL);
    if (fatal !== undefined) return { kind: 'fatal', message: fatal.message };
    const desired = response.desired?.resources ?? {};
    const collected = [...this.objects].filter(([, { key }]) => !Object.hasOwn(desired, key));
    for (const [identity] of collected) this.objects.delete(identity);
    for (const [key, { resource }] of Object.entries(desired)) this.apply(key, resource as Fields);
    // Core applies no answer that waits: it calls again. Here it is applied, because an answer must do no harm.
    const kind = (response.meta?.ttl?.seconds ?? 0) === 0 ? 'waiting' : 'settled';
    return { kind, status: readStatus(response), collected: collected.map(([, gone]) => gone) };
  }

  private run(call: Call): RunFunctionResponse {
    const { answers, composite, desired, input } = call;
    const resources = Object.fromEntries(
      [...this.objects.values()].map(({ key, object, connectionDetails }) => [
        key,
        {
          resource: object,
          connectionDetails: mapValues(connectionDetails, value => Buffer.from(value)),
          ready: Ready.READY_UNSPECIFIED,
        },
      ]),
    );
    const request: RunFunctionRequest = {
      meta: { tag: 'model', capabilities: [] },
      input,
      observed: {
        composite: { resource: composite, connectionDetails: {}, ready: Ready.READY_UNSPECIFIED },
        resources,
      },
      desired: {
        composite: undefined,
        resources: mapValues(desired, resource => ({
          resource,
          connectionDetails: {},
          ready: Ready.READY_UNSPECIFIED,
        })),
      },
      requiredResources: Object.fromEntries(
        [...answers].map(([key, items]) => [
          key,
          {
            items: items.map(resource => ({
              resource: resource as object,
              connectionDetails: {},
              ready: Ready.READY_UNSPECIFIED,
            })),
          },
        ]),
      ),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the message type insists on the field; it stays empty
      extraResources: {},
      requiredSchemas: {},
      credentials: {},
    };
    return encode(request, decide(decode(request)));
  }

  /** Server-side apply with one owner: what the answer leaves out is gone, status stays. */
  private apply(key: string, desired: Fields): void {
    const occupant = this.findByKey(key);
    const name =
      occupant === undefined ? readPath(desired, 'metadata', 'name') : readPath(occupant.object, 'metadata', 'name');
    const renamed = { ...desired, metadata: { ...(desired['metadata'] as Fields), name } };
    const identity = identify(renamed);
    // A key that now stands for another kind: core loses sight of what it stood for.
    if (occupant !== undefined && identify(occupant.object) !== identity)
      this.objects.delete(identify(occupant.object));
    const before = this.objects.get(identity);
    this.objects.set(identity, {
      key,
      object: this.merge(renamed, before?.object),
      connectionDetails: before?.connectionDetails ?? {},
    });
  }

  private merge(desired: Fields, before: Fields | undefined): Fields {
    this.uid += before === undefined ? 1 : 0;
    const { status, metadata } = before ?? {};
    const changed = !isDeepStrictEqual(before?.['spec'], desired['spec']);
    const generation = readPath(metadata, 'generation');
    return {
      ...desired,
      metadata: {
        ...(desired['metadata'] as Fields),
        uid: readPath(metadata, 'uid') ?? `uid-${this.uid}`,
        generation: (typeof generation === 'number' ? generation : 0) + (changed ? 1 : 0),
      },
      ...(status === undefined ? {} : { status }),
    };
  }
}
