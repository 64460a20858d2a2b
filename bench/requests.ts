/** The requests that everything here is measured with: an XR at rest, with as many Schedules and routes as asked for. */
import { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import { applied, observe, route, schedule, settle, ZONE } from '../test/fixtures/objects.ts';
import { requestOf } from '../test/fixtures/requests.ts';

export const SIZES = [1, 10, 100, 1_000] as const;

/** Everything required is there, and everything composed exists already: what a reconcile at rest sends. */
export function makeRequest(size: number): Buffer {
  const numbers = Array.from({ length: size }, (_, index) => String(index).padStart(4, '0'));
  const scene = {
    schedules: numbers.map(number => schedule(`backup-${number}`, `demo-a-${number}`)),
    routes: numbers.map(number => route(`web-${number}`, [`web-${number}.${ZONE}`])),
  };
  const observed = applied(settle(scene));
  return Buffer.from(RunFunctionRequest.encode(requestOf(observe({ ...scene, observed }))).finish());
}
