/** Core sends lists and maps in random order, and metadata that changes by itself. None of it reaches the answer. */
import { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, refuseUnexpected } from '../../src/decide.ts';
import { createFunction } from '../../src/function.ts';
import { isRecord } from '../../src/kube.ts';
import type { Observation } from '../../src/observation.ts';
import { requestOf } from '../fixtures/requests.ts';
import { anyObservation } from './requests.ts';
import { runOptions } from './run-options.ts';

const silent = (): void => undefined;
const call = createFunction({ decide, refuseUnexpected, log: { debug: silent, info: silent, error: silent } });

/** A reproducible source of order: one number decides every choice. */
type Dice = (sides: number) => number;

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return sides => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function shuffle<T>(items: readonly T[], dice: Dice): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = dice(last + 1);
    const [a, b] = [shuffled[last], shuffled[other]] as [T, T];
    shuffled[last] = b;
    shuffled[other] = a;
  }
  return shuffled;
}

/** The same value with the fields of every object in another order; lists keep theirs, it can have a meaning. */
function reorderFields(value: unknown, dice: Dice): unknown {
  if (Array.isArray(value)) return value.map(item => reorderFields(item, dice));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    shuffle(Object.entries(value), dice).map(([key, entry]) => [key, reorderFields(entry, dice)]),
  );
}

/** What the API server changes without anybody wanting anything. */
function touch(object: unknown, dice: Dice): unknown {
  if (!isRecord(object) || !isRecord(object['metadata'])) return object;
  const metadata = {
    ...object['metadata'],
    resourceVersion: String(dice(1e6)),
    managedFields: [{ manager: `m-${dice(9)}`, fieldsV1: { 'f:spec': {} } }],
  };
  return { ...object, metadata };
}

function reorder(observation: Observation, seed: number): Observation {
  const dice = diceOf(seed);
  const one = (object: unknown): unknown => reorderFields(touch(object, dice), dice);
  const map = <From, To>(entries: ReadonlyMap<string, From>, convert: (value: From) => To): ReadonlyMap<string, To> =>
    new Map(shuffle([...entries], dice).map(([key, value]) => [key, convert(value)]));
  return {
    input: reorderFields(observation.input, dice),
    composite: one(observation.composite),
    observed: map(observation.observed, ({ object, connectionDetails }) => ({
      object: one(object),
      connectionDetails: map(connectionDetails, bytes => bytes),
    })),
    desired: map(observation.desired, object => reorderFields(object, dice)),
    required: map(observation.required, items => shuffle(items, dice).map(one)),
    capabilities: observation.capabilities,
  };
}

const FOREIGN = new Map<string, unknown>([
  ['z-other', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'z' }, data: { b: '1', a: '2' } }],
  ['a-other', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
]);

/** Foreign objects are core's to carry, and pass through as they come: only their keys are put in order. */
function answer(observation: Observation): Buffer {
  return Buffer.from(call(RunFunctionRequest.encode(requestOf(observation)).finish()));
}

describe('the same request', () => {
  it('in any order gives the same bytes', () => {
    fc.assert(
      fc.property(anyObservation, fc.nat(), fc.nat(), (observation, one, other) => {
        expect(answer(reorder(observation, one)).equals(answer(reorder(observation, other)))).toBe(true);
      }),
      runOptions(150),
    );
  }, 120_000);

  it('keeps the objects of earlier steps, in whatever order their keys come', () => {
    fc.assert(
      fc.property(anyObservation, fc.boolean(), (observation, reversed) => {
        const entries = [...FOREIGN];
        const desired = new Map(reversed ? entries.reverse() : entries);
        const bytes = answer({ ...observation, desired });
        expect(bytes.equals(answer({ ...observation, desired: FOREIGN }))).toBe(true);
      }),
      runOptions(50),
    );
  }, 120_000);

  it('twice in a row gives the same bytes', () => {
    fc.assert(
      fc.property(anyObservation, observation => {
        expect(answer(observation).equals(answer(observation))).toBe(true);
      }),
      runOptions(50),
    );
  }, 120_000);
});
