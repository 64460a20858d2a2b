import { RunFunctionRequest, RunFunctionResponse, Severity } from '@crossplane-org/function-sdk-typescript';
import { describe, expect, it } from 'vitest';
import type { Decision, Refused, Requirement, Waiting } from './decision.ts';
import { createFunction, type Log, MAX_ANSWER_BYTES, type Outcome, type Parts } from './function.ts';
import { isMalformedRequestError } from './wire/codec.ts';

const SECRET = 'S3CR3T-MARKER';
const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map([
  ['namespace', { kind: 'name', apiVersion: 'v1', objectKind: 'Namespace', namespace: undefined, name: 'demo-a' }],
]);

const WAITING: Waiting = {
  kind: 'waiting',
  requirements: REQUIREMENTS,
  conditions: [{ type: 'Resolved', status: 'False', reason: 'Waiting', message: `not for a log: ${SECRET}` }],
  warnings: ['w'],
  resources: new Map([
    ['a', { object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: SECRET } }, ready: true }],
  ]),
  status: { note: SECRET },
};
const REFUSED: Refused = { kind: 'refused', requirements: REQUIREMENTS, conditions: [], warnings: [], fatal: 'sorry' };

type Line = Record<string, unknown> & { level: string; message: string };

function record(): { log: Log; lines: Line[] } {
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, ...fields });
    };
  return { log: { debug: write('debug'), info: write('info'), error: write('error') }, lines };
}

function runWith(parts: Partial<Parts>, request = makeRequest()) {
  const { log, lines } = record();
  const outcomes: Outcome[] = [];
  const observe = (outcome: Outcome): unknown => outcomes.push(outcome);
  const run = createFunction({ decide: () => WAITING, refuseUnexpected: () => REFUSED, log, observe, ...parts });
  const bytes = run(encodeRequest(request));
  return { response: RunFunctionResponse.decode(bytes), bytes, lines, outcomes };
}

const encodeRequest = (request: RunFunctionRequest): Uint8Array => RunFunctionRequest.encode(request).finish();

function makeRequest(): RunFunctionRequest {
  return RunFunctionRequest.fromPartial({
    meta: { tag: 'tag' },
    observed: {
      composite: { resource: { metadata: { namespace: 'demo-a', name: 'workspace' }, spec: { s: SECRET } } },
      resources: { a: { connectionDetails: { k: Buffer.from(SECRET) } } },
    },
    desired: { resources: { other: { resource: { kind: 'ConfigMap' } } } },
    credentials: { c: { credentialData: { data: { k: Buffer.from(SECRET) } } } },
  });
}

const fail =
  (message = 'boom') =>
  (): never => {
    throw new TypeError(message);
  };

describe('createFunction', () => {
  it('answers with the decision and leaves one line at info', () => {
    const { response, lines } = runWith({});
    expect(response.requirements?.resources).toHaveProperty('namespace');
    expect(lines.filter(line => line.level === 'info')).toEqual([
      {
        level: 'info',
        message: 'call',
        namespace: 'demo-a',
        name: 'workspace',
        outcome: 'waiting',
        resources: 1,
        warnings: 1,
        ms: expect.any(Number) as number,
      },
    ]);
  });

  it('logs reasons at debug, and no content, secret or connection detail at any level', () => {
    const { lines } = runWith({});
    expect(lines.find(line => line.level === 'debug')).toMatchObject({
      message: 'reasons',
      conditions: [{ type: 'Resolved', status: 'False', reason: 'Waiting' }],
      requirements: ['namespace'],
    });
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('keeps the requirements on the answer when deciding throws', () => {
    const { response, lines } = runWith({ decide: fail() });
    expect(response.requirements?.resources).toHaveProperty('namespace');
    expect(response.results).toMatchObject([{ severity: Severity.SEVERITY_FATAL, message: 'sorry' }]);
    expect(response.desired?.resources).toHaveProperty('other');
    expect(lines.map(line => [line.level, line.message])).toEqual([
      ['error', 'unexpected error'],
      ['info', 'call'],
      ['debug', 'reasons'],
    ]);
    expect(lines[1]).toMatchObject({ outcome: 'refused', resources: 0 });
  });

  it('keeps the requirements on the answer when what was decided cannot be encoded', () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: undefined } };
    const decision: Decision = { ...WAITING, resources: new Map([['a', { object, ready: true }]]) };
    const { response } = runWith({ decide: () => decision });
    expect(response.requirements?.resources).toHaveProperty('namespace');
    expect(response.results).toMatchObject([{ message: 'sorry' }]);
  });

  it('hands the error to refuseUnexpected', () => {
    const seen: unknown[] = [];
    runWith({
      decide: fail('why'),
      refuseUnexpected: (_, error) => {
        seen.push(error);
        return REFUSED;
      },
    });
    expect(seen).toEqual([new TypeError('why')]);
  });

  it('logs where an unexpected error arose, not its message, which may quote data', () => {
    const { response, lines } = runWith({ decide: fail(`Unexpected token in ${SECRET}\n${SECRET}`) });
    expect(lines[0]).toMatchObject({ error: 'TypeError' });
    expect(lines[0]?.at).toContainEqual(expect.stringContaining('function.test.ts'));
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(JSON.stringify(response.results)).not.toContain(SECRET);
  });

  it('still answers when refusing throws as well', () => {
    const { response, lines } = runWith({ decide: fail(SECRET), refuseUnexpected: fail() });
    expect(response.meta).toEqual({ tag: 'tag', ttl: { seconds: 0, nanos: 0 } });
    expect(response.desired?.resources).toHaveProperty('other');
    expect(response.results).toMatchObject([
      {
        severity: Severity.SEVERITY_FATAL,
        message: 'cannot answer the request: unexpected TypeError in the function; its log says where',
      },
    ]);
    expect(lines.find(line => line.message === 'call')).toMatchObject({ outcome: 'failed', name: 'workspace' });
  });

  it('throws for bytes that are no request, with one line that quotes nothing', () => {
    const { log, lines } = record();
    const outcomes: Outcome[] = [];
    const observe = (outcome: Outcome): unknown => outcomes.push(outcome);
    const run = createFunction({ decide: fail(), refuseUnexpected: fail(), log, observe });
    const bytes = Buffer.concat([encodeRequest(makeRequest()), Buffer.of(0x0a, 0x7f)]);
    let caught: unknown;
    try {
      run(bytes);
    } catch (error) {
      caught = error;
    }
    expect(isMalformedRequestError(caught)).toBe(true);
    expect(lines).toMatchObject([{ level: 'info', message: 'call', outcome: 'malformed', bytes: bytes.length }]);
    expect(JSON.stringify([lines, String(caught)])).not.toContain(SECRET);
    expect(outcomes).toEqual(['malformed']);
  });

  it('says Fatal, and by how much, where core would not take the answer, and keeps the requirements', () => {
    const blob = 'x'.repeat(MAX_ANSWER_BYTES);
    const request = RunFunctionRequest.fromPartial({
      ...makeRequest(),
      context: { c: 1 },
      desired: { resources: { other: { resource: { kind: 'ConfigMap', blob } } } },
    });
    const { response, bytes, outcomes } = runWith({}, request);
    expect(bytes.length).toBeLessThan(1000);
    expect(response.results).toHaveLength(1);
    const { severity, message = '' } = response.results[0] ?? {};
    expect(severity).toBe(Severity.SEVERITY_FATAL);
    const [, has = '', more = ''] =
      /^the answer has (\d+) bytes, (\d+) more than the 4194304 that Crossplane accepts/.exec(message) ?? [];
    expect(Number(has) - Number(more)).toBe(MAX_ANSWER_BYTES);
    expect(Number(has)).toBeGreaterThan(MAX_ANSWER_BYTES);
    expect(response.requirements?.resources).toHaveProperty('namespace');
    expect(response.meta).toEqual({ tag: 'tag', ttl: { seconds: 0, nanos: 0 } });
    expect(outcomes).toEqual(['too-large']);
  });

  it('answers up to the last byte that core takes', () => {
    const requestOf = (length: number): RunFunctionRequest =>
      RunFunctionRequest.fromPartial({
        ...makeRequest(),
        desired: { resources: { other: { resource: { blob: 'x'.repeat(length) } } } },
      });
    const spare = MAX_ANSWER_BYTES - runWith({}, requestOf(MAX_ANSWER_BYTES - 1000)).bytes.length;
    const length = MAX_ANSWER_BYTES - 1000 + spare;
    const largest = runWith({}, requestOf(length));
    expect([largest.bytes.length, largest.outcomes]).toEqual([MAX_ANSWER_BYTES, ['waiting']]);
    expect(runWith({}, requestOf(length + 1)).outcomes).toEqual(['too-large']);
  });

  it('survives a thrown value that is no error', () => {
    const { lines } = runWith({
      decide: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- the value that is no error is the case
        throw SECRET;
      },
    });
    expect(lines[0]).toMatchObject({ error: 'string', at: [] });
  });

  it('answers the same bytes twice alike, and leaves them as they were', () => {
    const { log } = record();
    const run = createFunction({ decide: () => WAITING, refuseUnexpected: () => REFUSED, log });
    const bytes = encodeRequest(makeRequest());
    expect(run(bytes)).toEqual(run(bytes));
    expect(bytes).toEqual(encodeRequest(makeRequest()));
  });
});
