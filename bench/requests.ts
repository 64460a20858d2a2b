/** The requests that everything here is measured with: those of a reconcile at rest, with as many Schedules and routes as asked for. */
import { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import type { ObservedObject } from '../src/observation.ts';
import { applied, observe, route, schedule, settle, xr, ZONE, type Scene } from '../test/fixtures/objects.ts';
import { requestOf } from '../test/fixtures/requests.ts';
import { settledFields } from './server-fields.ts';

export const SIZES = [1, 10, 100, 1_000] as const;

/**
 * Everything required is there, everything composed exists, OpenTofu has applied it and its outputs are known; each
 * object carries what the API server adds to it, as core sends it along.
 */
export function makeRequest(size: number): Buffer {
  const numbers = Array.from({ length: size }, (_, index) => String(index).padStart(4, '0'));
  const scene: Scene = {
    schedules: numbers.map(number => settledFields(schedule(`backup-${number}`, `demo-a-${number}`))),
    routes: numbers.map(number => settledFields(route(`web-${number}`, [`web-${number}.${ZONE}`]))),
  };
  const buckets = Object.fromEntries(numbers.map((number, index) => [`demo-a-${number}`, id(index, 24)]));
  const options = {
    outputs: {
      buckets,
      records: Object.fromEntries(numbers.map(number => [`web-${number}.${ZONE}`, '100.64.0.10'])),
    },
    keys: Object.fromEntries(
      Object.keys(buckets).map((bucket, index) => [bucket, { id: id(index, 25), secret: id(index, 31) }]),
    ),
  };
  // The first answer makes the keys known, the second composes the Secrets that hold them.
  const first = applied(settle(scene), options);
  const second = settle({ ...scene, observed: first });
  const observed = new Map([...applied(second, options)].map(([key, object]) => [key, settledObject(object)]));
  const composite = settledFields(xr({}, { status: second.status }));
  return Buffer.from(RunFunctionRequest.encode(requestOf(observe({ ...scene, xr: composite, observed }))).finish());
}

function settledObject({ object, connectionDetails }: ObservedObject): ObservedObject {
  return { object: settledFields(object as Readonly<Record<string, unknown>>), connectionDetails };
}

/** A text of this length, another for each number. */
function id(number: number, length: number): string {
  return number.toString(16).padStart(length, '0');
}
