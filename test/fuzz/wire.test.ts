/** The whole path from bytes to bytes, with requests and bytes that chance makes. */
import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, refuseUnexpected } from '../../src/decide.ts';
import { createFunction, MAX_ANSWER_BYTES, type Outcome, type RunFunction } from '../../src/function.ts';
import { isMalformedRequestError } from '../../src/wire/codec.ts';
import { namespaceObject, route, schedule, ZONE } from '../fixtures/objects.ts';
import { runOptions } from '../property/run-options.ts';
import { encodeRequest, settlingRequest } from './wire-bytes.ts';

interface Watched {
  readonly run: RunFunction;
  readonly outcomes: Outcome[];
  readonly errors: object[];
}

function watch(): Watched {
  const [outcomes, errors]: [Outcome[], object[]] = [[], []];
  const log = { debug: () => undefined, info: () => undefined, error: (fields: object) => errors.push(fields) };
  const run = createFunction({ decide, refuseUnexpected, log, observe: outcome => outcomes.push(outcome) });
  return { run, outcomes, errors };
}

/** Answered like a request should be, twice alike, or refused as no request. */
function holds({ run, errors }: Watched, bytes: Uint8Array): void {
  let answer: Uint8Array;
  try {
    answer = run(bytes);
  } catch (error) {
    if (!isMalformedRequestError(error)) throw error;
    return;
  }
  expect(errors).toEqual([]);
  expect(answer.length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  const response = RunFunctionResponse.decode(answer);
  expect(response.meta?.ttl).toBeDefined();
  for (const selector of Object.values(response.requirements?.resources ?? {}))
    if (selector.matchLabels !== undefined) expect(selector.namespace).not.toBe('');
  expect(Buffer.from(run(bytes)).equals(answer)).toBe(true);
}

const harmless = encodeRequest(settlingRequest());

/** Words that mean something somewhere on the path, so that chance gets past the first check. */
const word = fc.constantFrom(
  ...['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'labels', 'spec', 'status', 'backend', 's3', 'bucket'],
  ...['endpoint', 'hostnames', 'items', 'conditions', 'module', 'demo-a', 'crossplane.io/external-name'],
  ...['__proto__', 'constructor', '', '\u0000', '${x}', '"', '\n', '\ufffd', '😀'],
);
const leaf = fc.oneof(
  word,
  // Whole characters only: half a surrogate pair cannot be sent.
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { value: json } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  ),
}));

const OBJECTS = [schedule('nightly', 'demo-a-backup'), route('web', [`web.${ZONE}`]), namespaceObject()];

/** An object as it should be, with one place of it replaced by anything. */
const bent = fc
  .tuple(
    fc.constantFrom<object>(
      ...OBJECTS,
      settlingRequest().input ?? {},
      settlingRequest().observed?.composite?.resource ?? {},
    ),
    fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    json,
  )
  .map(([object, way, value]) => bend(object, way, value) as object);

function bend(object: unknown, [step, ...rest]: readonly number[], value: unknown): unknown {
  if (typeof object !== 'object' || object === null || step === undefined) return value;
  const keys = Object.keys(object);
  const key = keys[step % keys.length];
  if (key === undefined) return value;
  if (Array.isArray(object))
    return object.map((item: unknown, index) => (String(index) === key ? bend(item, rest, value) : item));
  return { ...object, [key]: bend((object as Record<string, unknown>)[key], rest, value) };
}

const item = fc.oneof(bent, fc.dictionary(word, json, { maxKeys: 3 })).map(resource => ({ resource }));
const requests = fc
  .record(
    {
      meta: fc.record({ tag: word, capabilities: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }) }),
      input: fc.oneof(bent, fc.constant(settlingRequest().input ?? {})),
      context: fc.dictionary(word, json, { maxKeys: 2 }),
      observed: fc.record(
        { composite: item, resources: fc.dictionary(word, item, { maxKeys: 2 }) },
        { requiredKeys: [] },
      ),
      desired: fc.record(
        { composite: item, resources: fc.dictionary(word, item, { maxKeys: 2 }) },
        { requiredKeys: [] },
      ),
      requiredResources: fc.dictionary(
        fc.oneof(word, fc.constantFrom('schedules', 'routes', 'namespace')),
        fc.record({ items: fc.array(item, { maxLength: 3 }) }),
        { maxKeys: 4 },
      ),
    },
    { requiredKeys: [] },
  )
  .map(parts => RunFunctionRequest.fromPartial({ ...settlingRequest(), ...(parts as object) }));

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}

const edits = fc.array(
  fc.record({
    at: fc.nat(harmless.length),
    remove: fc.constantFrom(0, 0, 1, 1, 2, 9, 100),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.nat(harmless.length).map(from => harmless.subarray(from, from + 40)),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

function apply(bytes: Buffer, changes: readonly Edit[]): Buffer {
  return changes.reduce(
    (now, { at, remove, insert }) => Buffer.concat([now.subarray(0, at), insert, now.subarray(at + remove)]),
    bytes,
  );
}

describe('the whole path', () => {
  it('settles the harmless request, which all others are made from', () => {
    const watched = watch();
    holds(watched, harmless);
    expect(watched.outcomes).toEqual(['settled', 'settled']);
  });

  it('answers every request, whatever stands in its objects', () => {
    const watched = watch();
    const canary = watched.run(harmless);
    fc.assert(
      fc.property(requests, request => {
        holds(watched, encodeRequest(request));
      }),
      runOptions(500),
    );
    expect(watched.run(harmless)).toEqual(canary);
    // Chance must get past the door, or this shows little.
    for (const outcome of ['settled', 'waiting', 'refused'] as const)
      expect(watched.outcomes.filter(seen => seen === outcome).length).toBeGreaterThan(5);
  });

  it('answers or refuses any bytes near those of a request', () => {
    const watched = watch();
    const canary = watched.run(harmless);
    fc.assert(
      fc.property(edits, changes => {
        holds(watched, apply(harmless, changes));
      }),
      runOptions(1000),
    );
    expect(watched.run(harmless)).toEqual(canary);
    for (const outcome of ['settled', 'malformed'] as const) expect(watched.outcomes).toContain(outcome);
  });

  it('answers or refuses any bytes', () => {
    const watched = watch();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        holds(watched, bytes);
      }),
      runOptions(500),
    );
  });

  it('refuses every request that is cut short, or answers what was left', () => {
    const watched = watch();
    for (let length = 0; length < harmless.length; length += 1) holds(watched, harmless.subarray(0, length));
  });
});
