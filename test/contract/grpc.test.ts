/** What a caller can rely on, tried on the real process. */
import { RunFunctionRequest, RunFunctionResponse, Severity } from '@crossplane-org/function-sdk-typescript';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller, encodeRequest, failureOf, makeRequest, OTHER, SECRET } from './caller.ts';
import { ServerProcess } from './server-process.ts';

const MIB = 1024 * 1024;

describe('a call', () => {
  let server: ServerProcess;
  let caller: Caller;

  beforeAll(async () => {
    const [started, address] = await ServerProcess.listening(['--insecure', '--debug']);
    server = started;
    caller = createCaller(address);
  });
  afterAll(async () => {
    caller.close();
    await server.stop();
  });

  it('is answered: tag echoed, requirements for the namespace, everything foreign passed through', async () => {
    const response = await caller.call(encodeRequest(makeRequest()));
    expect(response.meta?.tag).toBe('tag-1');
    expect(response.meta?.ttl).toEqual({ seconds: 0, nanos: 0 });
    expect(response.desired?.resources.other).toEqual({ resource: OTHER, connectionDetails: {}, ready: 1 });
    expect(response.desired?.composite?.resource?.status).toMatchObject({ foreign: true });
    expect(response.context).toEqual({ k: { nested: ['v'] } });
    expect(response.requirements?.resources.schedules).toMatchObject({ kind: 'Schedule', namespace: 'demo-a' });
    expect(response.results.filter(result => result.severity === Severity.SEVERITY_NORMAL)).toEqual([]);
  });

  it('gets the same bytes for the same request', async () => {
    const bytes = encodeRequest(makeRequest());
    const [a, b] = [await caller.call(bytes), await caller.call(bytes)];
    expect(Buffer.from(RunFunctionResponse.encode(a).finish())).toEqual(
      Buffer.from(RunFunctionResponse.encode(b).finish()),
    );
  });

  it('without any content is answered with a Fatal result or a wait, not with an error', async () => {
    const response = await caller.call(new Uint8Array());
    expect(response.meta?.ttl).toEqual({ seconds: 0, nanos: 0 });
  });

  it.each([
    ['truncated', encodeRequest(makeRequest()).subarray(0, 40)],
    ['a length beyond the end', Uint8Array.of(0x0a, 0xff, 0x7f)],
    ['all ones', new Uint8Array(64).fill(0xff)],
  ])('of garbage (%s) is refused as such, and the next one is answered', async (_, bytes) => {
    expect((await failureOf(caller.call(bytes))).code).toBe(status.INTERNAL);
    expect((await caller.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    expect(await server.call('malformed')).toMatchObject({ level: 'info' });
  });

  it('of any noise is answered or refused, and the process stays', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      let state = seed;
      const noise = Uint8Array.from({ length: seed * 3 }, () => (state = (state * 48_271) % 0x7fffffff) & 0xff);
      await caller.call(noise).catch((error: unknown) => {
        expect((error as ServiceError).code).toBe(status.INTERNAL);
      });
    }
    expect((await caller.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
  });

  it('of 5 MiB is answered: grpc-js would refuse it by default', async () => {
    expect((await caller.call(encodeRequest(makeRequest(5 * MIB)))).meta?.tag).toBe('tag-1');
  });

  it('above the limit of 16 MiB is refused as too large', async () => {
    expect((await failureOf(caller.call(encodeRequest(makeRequest(17 * MIB))))).code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('that would get more than the 4 MiB that core accepts gets a Fatal result that says by how much', async () => {
    const request = makeRequest();
    const blob = 'x'.repeat(5 * MIB);
    const resources = { other: { resource: { blob } } };
    const response = await caller.call(
      encodeRequest(RunFunctionRequest.fromPartial({ ...request, desired: { resources } })),
    );
    expect(response.results[0]?.severity).toBe(Severity.SEVERITY_FATAL);
    const [, has = '', more = ''] =
      /has (\d+) bytes, (\d+) more than the 4194304/.exec(response.results[0]?.message ?? '') ?? [];
    expect(Number(has)).toBeGreaterThan(5 * MIB);
    expect(Number(has) - Number(more)).toBe(4 * MIB);
    expect(response.requirements?.resources.schedules).toMatchObject({ namespace: 'demo-a' });
    expect(await server.call('too-large')).toMatchObject({ level: 'info', name: 'workspace' });
  });

  it('with keys that objects inherit is answered with them as ordinary keys', async () => {
    const request = makeRequest();
    const hostile = { ...OTHER, data: { constructor: 'a', toString: 'b', hasOwnProperty: 'c' } };
    request.desired = {
      composite: undefined,
      resources: { constructor: { resource: hostile, connectionDetails: {}, ready: 0 } },
    };
    const response = await caller.call(encodeRequest(request));
    expect(Object.entries(response.desired?.resources ?? {})).toContainEqual([
      'constructor',
      { resource: hostile, connectionDetails: {}, ready: 0 },
    ]);
  });

  it('from many at once is answered to each with its own tag', async () => {
    const tags = Array.from({ length: 50 }, (_, index) => `tag-${index}`);
    const responses = await Promise.all(
      tags.map(tag => caller.call(encodeRequest({ ...makeRequest(), meta: { tag, capabilities: [] } }))),
    );
    expect(responses.map(response => response.meta?.tag)).toEqual(tags);
  });

  it('leaves one line at info, and no secret even at debug', async () => {
    await caller.call(encodeRequest(makeRequest()));
    await server.line('reasons');
    const call = server.lines.filter(line => line.msg === 'call').at(-1) ?? {};
    expect(call).toMatchObject({ level: 'info', namespace: 'demo-a', name: 'workspace' });
    expect(Object.keys(call).sort()).toEqual(
      ['level', 'ms', 'name', 'namespace', 'outcome', 'resources', 'time', 'warnings'].concat('msg').sort(),
    );
    expect(server.stderr).toContain('"msg":"reasons"');
    expect(server.stderr).not.toContain(SECRET);
  });

  it('warns that anyone can call', async () => {
    expect(await server.line('serving without TLS: anyone who reaches the port can call')).toMatchObject({
      level: 'warn',
    });
  });
});

describe('many callers', () => {
  it('are each answered what is theirs: 200 calls at once over 50 connections', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const callers = Array.from({ length: 50 }, () => createCaller(address));
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    const responses = await Promise.all(
      numbers.map(async index => await callers[index % callers.length]?.call(encodeRequest(requestOf(index)))),
    );
    for (const [index, response] of responses.entries()) {
      expect(response?.meta?.tag).toBe(`tag-${index}`);
      expect(response?.desired?.resources).toMatchObject({ [`own-${index}`]: { resource: { data: { index } } } });
      expect(response?.context).toEqual({ own: index });
      expect(response?.requirements?.resources.schedules?.namespace).toBe(`team-${index}`);
    }
    for (const caller of callers) caller.close();
    expect((await server.stop()).code).toBe(0);
    const called = server.lines.filter(line => line.msg === 'call').map(line => line.namespace);
    expect(new Set(called)).toEqual(new Set(numbers.map(index => `team-${index}`)));
  });

  function requestOf(index: number) {
    const request = makeRequest();
    const resource = { ...OTHER, data: { index, padding: 'x'.repeat(index * 50) } };
    const composite = request.observed?.composite?.resource as { metadata: { namespace: string } };
    composite.metadata.namespace = `team-${index}`;
    return {
      ...request,
      meta: { tag: `tag-${index}`, capabilities: [] },
      context: { own: index },
      desired: { composite: undefined, resources: { [`own-${index}`]: { resource, connectionDetails: {}, ready: 0 } } },
    };
  }
});

describe('the message limit', () => {
  it.each([
    ['flag', ['--max-message-bytes', '1000'], {}],
    ['environment variable', [], { MAX_MESSAGE_BYTES: '1000' }],
  ])('is set by %s', async (_, args, env) => {
    const [server, address] = await ServerProcess.listening(['--insecure', ...args], env);
    const caller = createCaller(address);
    expect((await failureOf(caller.call(encodeRequest(makeRequest(2000))))).code).toBe(status.RESOURCE_EXHAUSTED);
    expect((await caller.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    caller.close();
    expect((await server.stop()).code).toBe(0);
  });
});
