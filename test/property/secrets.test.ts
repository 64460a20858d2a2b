/**
 * Secrets go from the request into the credentials Secrets, and nowhere else: not into the module, another
 * object, a condition, a result, status, a log line or an error.
 */
import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { decide, refuseUnexpected } from '../../src/decide.ts';
import { createFunction, type Parts } from '../../src/function.ts';
import { isRecord, readPath } from '../../src/kube.ts';
import type { Observation } from '../../src/observation.ts';
import { requestOf } from '../fixtures/requests.ts';
import { anyObservation } from './requests.ts';
import { runOptions } from './run-options.ts';

/** Long and strange enough that nothing else holds it; one prefix, so that a shortened one shows as well. */
const MARKER = 'S3CR3T-MARKER';
const ENCODED = Buffer.from(MARKER).toString('base64').slice(0, 16);

const marked = (what: string): string => `${MARKER}-${what}`;

/** How the connection details carry it: well-formed, cut short, or as something else. */
const DETAILS = {
  maps: (keys: readonly string[]) => ({
    application_key_ids: JSON.stringify(Object.fromEntries(keys.map(key => [key, marked(`id-${key}`)]))),
    application_keys: JSON.stringify(Object.fromEntries(keys.map(key => [key, marked(`key-${key}`)]))),
    buckets: marked('buckets'),
  }),
  broken: () => ({ application_key_ids: `{"alpha-1":"${marked('cut')}`, application_keys: marked('no-json') }),
  odd: () => ({
    application_key_ids: JSON.stringify([marked('list')]),
    application_keys: JSON.stringify({ 'alpha-1': { nested: marked('object') } }),
  }),
} as const;

interface Planted {
  readonly observation: Observation;
  readonly details: keyof typeof DETAILS;
}

/** Puts markers wherever a request can hold a secret or free text of others. */
function plant({ observation, details }: Planted): Observation {
  const carried = DETAILS[details](['alpha-1', 'beta-22', 'gamma-3', 'constructor', 'older-5']);
  return {
    ...observation,
    composite: withFields(observation.composite, 'metadata', { annotations: { note: marked('xr-annotation') } }),
    observed: new Map(
      [...observation.observed].map(([key, { object }]) => [
        key,
        {
          object: plantObject(object),
          connectionDetails: new Map(Object.entries(carried).map(([name, text]) => [name, Buffer.from(text)])),
        },
      ]),
    ),
    required: new Map(
      [...observation.required].map(([key, items]) => [
        key,
        items.map(item =>
          withFields(withFields(item, 'spec', { note: marked('spec') }), 'status', { note: marked('status') }),
        ),
      ]),
    ),
  };
}

function plantObject(object: unknown): unknown {
  const noted = withFields(object, 'metadata', {
    annotations: { ...(readPath(object, 'metadata', 'annotations') as object | undefined), note: marked('annotation') },
  });
  if (readPath(object, 'kind') === 'Secret')
    return {
      ...(noted as object),
      data: { ACCESS_KEY_ID: Buffer.from(marked('data')).toString('base64'), OTHER: ENCODED },
    };
  if (readPath(object, 'kind') !== 'Workspace') return noted;
  return withFields(noted, 'status', {
    conditions: [
      {
        type: 'Synced',
        status: 'False',
        reason: marked('reason'),
        message: `Secret "${marked('name')}" ${marked('message')}`,
      },
      { type: 'Ready', status: 'False', reason: 'x', message: marked('ready') },
    ],
  });
}

function withFields(object: unknown, field: string, fields: object): unknown {
  if (!isRecord(object)) return object;
  const before = readPath(object, field);
  return { ...object, [field]: { ...(isRecord(before) ? before : {}), ...fields } };
}

function requestWith(observation: Observation): RunFunctionRequest {
  return requestOf(observation, {
    credentials: { c: { credentialData: { data: { secret: Buffer.from(marked('credential')) } } } },
  });
}

interface Answered {
  readonly response: RunFunctionResponse;
  readonly log: string;
}

function answer(request: RunFunctionRequest, parts: Partial<Parts> = {}): Answered {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const bytes = createFunction({ decide, refuseUnexpected, log, ...parts })(
    RunFunctionRequest.encode(request).finish(),
  );
  return { response: RunFunctionResponse.decode(bytes), log: lines.join('') };
}

function holdsMarker(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text.includes(MARKER) || text.includes(ENCODED);
}

/** Everything in the answer but the data of the Secrets that we compose. */
function withoutCredentials({ desired, ...response }: RunFunctionResponse): unknown {
  const resources = Object.entries(desired?.resources ?? {}).map(([key, { resource }]) => {
    const isSecret = readPath(resource, 'apiVersion') === 'v1' && readPath(resource, 'kind') === 'Secret';
    return [key, isSecret ? { ...resource, data: undefined } : resource] as const;
  });
  return { ...response, composite: desired?.composite, resources };
}

const planted: fc.Arbitrary<Planted> = fc.record({
  observation: anyObservation,
  details: fc.constantFrom('maps' as const, 'maps' as const, 'broken' as const, 'odd' as const),
});

describe('a secret in the request', () => {
  it('reaches the credentials Secrets alone', () => {
    let carried = 0;
    fc.assert(
      fc.property(planted, drawn => {
        const { response, log } = answer(requestWith(plant(drawn)));
        expect(holdsMarker(withoutCredentials(response)), 'in the answer').toBe(false);
        expect(holdsMarker(log), 'in the log').toBe(false);
        if (holdsMarker(response.desired)) carried += 1;
      }),
      runOptions(200),
    );
    // Without this the property could hold because nothing ever carries a secret.
    expect(carried).toBeGreaterThan(0);
  }, 120_000);

  it('stays out of the log and the answer when the decision itself fails on it', () => {
    fc.assert(
      fc.property(planted, drawn => {
        const request = requestWith(plant(drawn));
        const { response, log } = answer(request, {
          decide: observation => {
            throw new Error(`${marked('thrown')} ${JSON.stringify(observation.composite)}`);
          },
        });
        expect(response.results).toHaveLength(1);
        expect(holdsMarker(response.results), 'in the results').toBe(false);
        expect(holdsMarker(response.conditions), 'in the conditions').toBe(false);
        expect(holdsMarker(log), 'in the log').toBe(false);
      }),
      runOptions(50),
    );
  }, 120_000);

  it('is in no error of the decision', () => {
    fc.assert(
      fc.property(planted, drawn => {
        const decision = decide(plant(drawn));
        const said = decision.kind === 'refused' ? decision.fatal : '';
        expect(holdsMarker([said, decision.conditions, decision.warnings])).toBe(false);
      }),
      runOptions(100),
    );
  }, 120_000);
});
