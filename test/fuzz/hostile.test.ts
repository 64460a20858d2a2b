/** What an app's namespace, or a broken caller, can put into a request, tried on the real process. */
import { RunFunctionRequest, RunFunctionResponse, Severity } from '@crossplane-org/function-sdk-typescript';
import { type ServiceError, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller, failureOf, METHOD } from '../contract/caller.ts';
import { ServerProcess } from '../contract/server-process.ts';
import { schedule } from '../fixtures/objects.ts';
import { desireOnly, encodeRequest, requireOnly, settlingRequest, struct } from './wire-bytes.ts';

const MIB = 1024 * 1024;
/** Above it a condition or result is a burden on whoever reads the XR. */
const MAX_MESSAGE = 4096;

const text = (value: string) => ({ text: Buffer.from(value) });

/** JSON objects in each other, on the wire. */
function nest(levels: number): Buffer {
  let inner = struct([['leaf', text('x')]]);
  for (let level = 1; level < levels; level += 1) inner = key('a', inner);
  return inner;
}

/** One map entry whose value is a map that is encoded already. */
function key(name: string, inner: Uint8Array): Buffer {
  const value = prefixed(0x2a, inner);
  return prefixed(0x0a, Buffer.concat([prefixed(0x0a, Buffer.from(name)), prefixed(0x12, value)]));
}

function prefixed(tag: number, bytes: Uint8Array): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest);
      break;
    }
    length.push((rest & 0x7f) | 0x80);
  }
  return Buffer.concat([Buffer.of(tag, ...length), bytes]);
}

const withSchedule = (object: object): Buffer => {
  const request = settlingRequest();
  const requiredResources = { ...request.requiredResources, schedules: { items: [{ resource: object }] } };
  return encodeRequest(RunFunctionRequest.fromPartial({ ...request, requiredResources }));
};

describe('a hostile request', () => {
  let server: ServerProcess;
  let caller: Caller;
  let canary: Buffer;
  const harmless = encodeRequest(settlingRequest());

  beforeAll(async () => {
    const [started, address] = await ServerProcess.listening(['--insecure', '--debug']);
    server = started;
    caller = createCaller(address);
    canary = await caller.callBytes(harmless);
    expect((await server.line('call')).outcome).toBe('settled');
  });
  afterAll(async () => {
    caller.close();
    expect((await server.stop()).code).toBe(0);
    expect(server.lines.filter(line => line.level === 'error')).toEqual([]);
  });

  /** Sent between two harmless ones, whose answers must not change by a byte. */
  async function send(bytes: Uint8Array): Promise<Buffer | ServiceError> {
    const [before, answer, after] = await Promise.all([
      caller.callBytes(harmless),
      caller.callBytes(bytes).catch((error: unknown) => error as ServiceError),
      caller.callBytes(harmless),
    ]);
    expect(before.equals(canary)).toBe(true);
    expect(after.equals(canary)).toBe(true);
    expect((await caller.callBytes(harmless)).equals(canary)).toBe(true);
    return answer;
  }

  async function expectAnswer(bytes: Uint8Array): Promise<RunFunctionResponse> {
    const answer = await send(bytes);
    if (answer instanceof Error) throw answer;
    const response = RunFunctionResponse.decode(answer);
    for (const { message } of [...response.results, ...response.conditions])
      expect((message ?? '').length).toBeLessThan(MAX_MESSAGE);
    return response;
  }

  it.each([34, 100, 300])('with %d levels in an object of another step passes it through', async levels => {
    const object = nest(levels);
    const answer = await send(desireOnly(harmless, 'other', object));
    // As bytes: the SDK's decoder, on this side, gives up at 34 levels.
    expect(Buffer.isBuffer(answer) && answer.includes(object)).toBe(true);
  });

  it.each([34, 100, 300])('with %d levels in a Schedule is answered', async levels => {
    await expectAnswer(requireOnly(settlingRequest(), 'schedules', nest(levels)));
  });

  it.each([400, 3000])('with %d levels is refused with a clear error', async levels => {
    const error = await send(desireOnly(harmless, 'other', nest(levels)));
    expect(error).toMatchObject({ code: status.INTERNAL });
    expect((error as ServiceError).details).toMatch(/^cannot decode the request: more than 333 levels in each other$/);
  });

  // In the order in which an answer has them.
  const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString'];

  it('with keys that JavaScript holds special passes them through', async () => {
    const object = struct(
      NAMES.map(name => [name, { fields: NAMES.map(inner => [inner, text('kept')] as const) }] as const),
    );
    for (const name of NAMES) {
      const answer = await caller.callBytes(desireOnly(harmless, name, object));
      expect(answer.includes(object)).toBe(true);
    }
  });

  it('with such keys in what a tenant writes is answered like any other', async () => {
    const special = NAMES.map(name => [name, { fields: [['polluted', text('yes')]] }] as const);
    await expectAnswer(requireOnly(settlingRequest(), 'schedules', struct(special)));
    const metadata = {
      fields: [['name', text('n')], ['namespace', text('demo-a')], ['labels', { fields: special }], ...special],
    } as const;
    await expectAnswer(
      requireOnly(
        settlingRequest(),
        'schedules',
        struct([
          ['apiVersion', text('k8up.io/v1')],
          ['kind', text('Schedule')],
          ['metadata', metadata],
          ['spec', { fields: special }],
        ]),
      ),
    );
    for (const name of NAMES) await expectAnswer(requireOnly(settlingRequest(), name, struct(special)));
  });

  it.each<[string, (long: string) => object]>([
    ['an annotation', long => schedule('nightly', 'demo-a-backup', { annotations: { long } })],
    // Which also names two Secrets: together they would be above the limit.
    ['a bucket name', long => schedule('nightly', long.slice(0, 4 * MIB))],
    ['a name', long => schedule(long, 'demo-a-backup')],
    ['a kind', long => ({ ...schedule('nightly', 'demo-a-backup'), kind: long })],
    ['a key', long => ({ ...schedule('nightly', 'demo-a-backup'), [long]: 1 })],
  ])('with 10 MiB of text in %s is answered in few words', async (_, make) => {
    const response = await expectAnswer(withSchedule(make('x'.repeat(10 * MIB))));
    expect(RunFunctionResponse.encode(response).finish().length).toBeLessThan(MIB);
  });

  it.each([NaN, Infinity, -Infinity, -0, 1e308, 5e-324, 2 ** 53 + 2])(
    'with the number %d passes it through',
    async number => {
      const object = struct([['n', { number }]]);
      const answer = await caller.callBytes(desireOnly(harmless, 'other', object));
      expect(answer.includes(object)).toBe(true);
      await expectAnswer(
        withSchedule({ ...schedule('nightly', 'demo-a-backup'), spec: { backend: number, backup: { keep: number } } }),
      );
      await expectAnswer(encodeRequest({ ...settlingRequest(), input: { ...settlingRequest().input, ttl: number } }));
    },
  );

  it.each([
    ['half a surrogate pair', 'eda080'],
    ['bytes that are no text', 'ff00fe'],
  ])('with %s in place of text is refused with a clear error', async (_, hex) => {
    const object = struct([['metadata', { fields: [['name', { text: Buffer.from(hex, 'hex') }]] }]]);
    for (const bytes of [desireOnly(harmless, 'other', object), requireOnly(settlingRequest(), 'schedules', object)]) {
      const error = await send(bytes);
      expect(error).toMatchObject({ code: status.INTERNAL });
      expect((error as ServiceError).details).toMatch(/^cannot decode the request: .*utf-8/);
    }
  });

  it('with text that ends lines, quotes or terminals is answered', async () => {
    const nasty = '\u0000\u001b[2J\n\r"\\${x}%{if}\u202e\ufeff\u2028';
    await expectAnswer(
      withSchedule(schedule(nasty, nasty, { annotations: { [nasty]: nasty }, labels: { [nasty]: nasty } })),
    );
    // One line per call stays one line.
    expect(
      server.stderr
        .split('\n')
        .slice(0, -1)
        .every(line => line.startsWith('{')),
    ).toBe(true);
  });

  it('that unpacks to more than the limit is refused', async () => {
    const session = connect(`http://${caller.address}`);
    session.on('error', () => undefined);
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': 'gzip',
    });
    const packed = gzipSync(Buffer.alloc(200 * MIB));
    const frame = Buffer.alloc(5);
    frame.writeUInt8(1);
    frame.writeUInt32BE(packed.length, 1);
    stream.end(Buffer.concat([frame, packed]));
    stream.resume();
    const ended = Promise.race([once(stream, 'trailers'), once(stream, 'response')]);
    const [headers] = (await ended) as [Record<string, string>];
    expect(
      headers['grpc-status'] ??
        (await once(stream, 'trailers').then(([trailers]) => (trailers as Record<string, string>)['grpc-status'])),
    ).toBe(String(status.RESOURCE_EXHAUSTED));
    session.destroy();
    expect((await caller.callBytes(harmless)).equals(canary)).toBe(true);
  });

  it('never shows in the answer to another: marked and unmarked calls at once', async () => {
    const mark = 'M4RK';
    const marked = encodeRequest({ ...settlingRequest(), context: { mark } });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => caller.callBytes(index % 2 === 0 ? marked : harmless)),
    );
    for (const [index, answer] of answers.entries()) expect(answer.includes(mark)).toBe(index % 2 === 0);
  });

  it('without anything to go by is refused in words', async () => {
    const response = await expectAnswer(encodeRequest(RunFunctionRequest.fromPartial({})));
    expect(response.results[0]?.severity).toBe(Severity.SEVERITY_FATAL);
  });

  it('of an unknown method is refused', async () => {
    expect(
      (await failureOf(caller.callBytes(harmless, '/apiextensions.fn.proto.v1.FunctionRunnerService/Other'))).code,
    ).toBe(status.UNIMPLEMENTED);
  });
});
