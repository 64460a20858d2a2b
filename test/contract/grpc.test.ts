/** What a caller and an operator can rely on, tried on the real process. */
import { RunFunctionRequest, RunFunctionResponse, Severity } from '@crossplane-org/function-sdk-typescript';
import { type ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Authority, type Pair, Pki } from './pki.ts';
import { ServerProcess } from './server-process.ts';

const METHOD = '/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction';
const MIB = 1024 * 1024;
const SECRET = 'S3CR3T-MARKER';

const OTHER = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'other' },
  data: { constructor: 'x', list: ['a', 'a'] },
};

function makeRequest(padding = 0): RunFunctionRequest {
  return RunFunctionRequest.fromPartial({
    meta: { tag: 'tag-1', capabilities: [1, 2, 4] },
    observed: {
      composite: {
        resource: {
          apiVersion: 'platform.kueber.eu/v1alpha1',
          kind: 'TofuWorkspace',
          metadata: { name: 'workspace', namespace: 'demo-a', uid: 'u-1' },
          spec: { retainBuckets: true },
        },
        connectionDetails: { secret: Buffer.from(SECRET) },
      },
    },
    desired: {
      composite: { resource: { status: { foreign: true } } },
      resources: { other: { resource: OTHER, ready: 1 } },
    },
    context: { k: { nested: ['v'] } },
    credentials: { c: { credentialData: { data: { secret: Buffer.from(SECRET) } } } },
    requiredResources:
      padding === 0 ? {} : { bootstrap: { items: [{ resource: { kind: 'X', blob: 'x'.repeat(padding) } }] } },
  });
}

interface Caller {
  call(bytes: Uint8Array): Promise<RunFunctionResponse>;
  close(): void;
}

function createCaller(address: string, channel: ChannelCredentials = credentials.createInsecure()): Caller {
  // A name, not an address, so that TLS can say whom it calls.
  const client = new Client(address, channel, { 'grpc.ssl_target_name_override': 'localhost' });
  return {
    call: bytes =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          METHOD,
          (value: Uint8Array) => Buffer.from(value),
          value => RunFunctionResponse.decode(value),
          bytes,
          { deadline: Date.now() + 15_000 },
          (error, response) => {
            if (response === undefined) reject(error ?? new Error('no response'));
            else resolve(response);
          },
        );
      }),
    close: () => {
      client.close();
    },
  };
}

const encodeRequest = (request: RunFunctionRequest): Uint8Array => RunFunctionRequest.encode(request).finish();

async function failureOf(answer: Promise<unknown>): Promise<ServiceError> {
  return await answer.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => error as ServiceError,
  );
}

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
    const call = await server.line('call');
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

describe('mutual TLS', () => {
  const pki = new Pki();
  let authority: Authority;
  let stranger: Authority;
  let directory: string;
  let server: ServerProcess;
  let address: string;

  beforeAll(async () => {
    authority = pki.createAuthority();
    stranger = pki.createAuthority();
    // Another subject than the authority's, so that Node's own client can verify the server.
    const leaf = authority.issue({ usage: 'serverAuth', subject: '/CN=function', names: 'DNS:localhost,IP:127.0.0.1' });
    directory = pki.mount({ 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': authority.cert });
    [server, address] = await ServerProcess.listening(['--tls-certs-dir', directory]);
  });
  afterAll(async () => {
    await server.stop();
    pki.remove();
  });

  const trust = (client?: Pair): ChannelCredentials =>
    credentials.createSsl(
      Buffer.from(authority.cert),
      ...(client === undefined ? [] : ([Buffer.from(client.key), Buffer.from(client.cert)] as const)),
    );

  it("answers a caller with a certificate shaped like Crossplane's own", async () => {
    const caller = createCaller(address, trust(authority.issue({ usage: 'clientAuth' })));
    expect((await caller.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    caller.close();
  });

  it('answers more than one connection', async () => {
    const client = authority.issue({ usage: 'clientAuth' });
    const callers = Array.from({ length: 5 }, () => createCaller(address, trust(client)));
    const responses = await Promise.all(callers.map(caller => caller.call(encodeRequest(makeRequest()))));
    expect(responses.map(response => response.meta?.tag)).toEqual(Array(5).fill('tag-1'));
    for (const caller of callers) caller.close();
  });

  it.each<{ name: string; client: () => Pair | undefined; reason: string }>([
    { name: 'no certificate', client: () => undefined, reason: 'no client certificate' },
    {
      name: "Crossplane's server certificate",
      client: () => authority.issue({ usage: 'serverAuth' }),
      reason: 'certificate not meant for clients',
    },
    {
      name: "another authority's certificate under the same names",
      client: () => stranger.issue({ usage: 'clientAuth' }),
      reason: 'client certificate not issued by an authority in ca.crt',
    },
    {
      name: 'a certificate without usage',
      client: () => authority.issue({ usage: 'none' }),
      reason: 'certificate not meant for clients',
    },
  ])('refuses $name and says why', async ({ client, reason }) => {
    const before = server.lines.length;
    const caller = createCaller(address, trust(client()));
    expect((await failureOf(caller.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    caller.close();
    // A refused client may try again at once, so one call can leave several lines.
    await vi.waitFor(() => {
      expect(server.lines.slice(before)).toContainEqual(
        expect.objectContaining({ level: 'warn', msg: 'connection refused', reason }),
      );
    });
  });

  it('refuses TLS 1.2', async () => {
    const [host = '', port = ''] = address.split(':');
    const { cert, key } = authority.issue({ usage: 'clientAuth' });
    const socket = connectTls({
      host,
      port: Number(port),
      cert,
      key,
      ca: authority.cert,
      maxVersion: 'TLSv1.2',
      servername: 'localhost',
    });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  it('refuses plaintext', async () => {
    const caller = createCaller(address);
    expect((await failureOf(caller.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    caller.close();
  });

  it('has answered only those that may call', () => {
    expect(server.lines.filter(line => line.msg === 'call')).toHaveLength(6);
  });

  it('takes the directory from the environment', async () => {
    const [other, where] = await ServerProcess.listening([], { TLS_SERVER_CERTS_DIR: directory });
    const caller = createCaller(where, trust(authority.issue({ usage: 'clientAuth' })));
    expect((await caller.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    caller.close();
    expect((await other.stop()).code).toBe(0);
  });
});

describe('the start', () => {
  it.each<{ name: string; args: string[]; env?: Record<string, string>; code: number; says: RegExp }>([
    { name: 'no certificates and no --insecure', args: [], code: 2, says: /no certificates: give --tls-certs-dir/ },
    {
      name: 'an empty TLS_SERVER_CERTS_DIR',
      args: [],
      env: { TLS_SERVER_CERTS_DIR: '' },
      code: 2,
      says: /TLS_SERVER_CERTS_DIR/,
    },
    {
      name: 'a directory that is not there',
      args: ['--tls-certs-dir', '/not/there'],
      code: 1,
      says: /\/not\/there\/tls\.crt \(ENOENT\)/,
    },
    { name: 'an unknown flag', args: ['--insecure', '--unknown'], code: 2, says: /--unknown/ },
    {
      name: 'a bad address',
      args: ['--insecure', '--address', 'nowhere'],
      code: 2,
      says: /--address: expected host:port/,
    },
    { name: 'a bad limit', args: ['--insecure', '--max-message-bytes', '0'], code: 2, says: /--max-message-bytes/ },
  ])('fails with one line for $name', async ({ args, env, code, says }) => {
    const ended = await new ServerProcess(args, env).ended;
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('fails for a port in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const ended = await new ServerProcess(['--insecure', '--address', `127.0.0.1:${port}`]).ended;
    holder.close();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('prints help and version to stdout', async () => {
    const [help, version] = await Promise.all([
      new ServerProcess(['--help']).ended,
      new ServerProcess(['--version']).ended,
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--tls-certs-dir');
    expect(version).toMatchObject({ code: 0, stderr: '' });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('the end', () => {
  /** A call whose request is only half sent, and has reached the server: it must wait for the rest. */
  async function openCall(address: string): Promise<{ session: ClientHttp2Session; finish: () => Promise<unknown> }> {
    const session = connect(`http://${address}`);
    session.on('error', () => undefined);
    await once(session, 'connect');
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const trailers = new Promise((resolve, reject) => {
      stream.on('trailers', resolve);
      stream.on('error', reject);
    });
    trailers.catch(() => undefined);
    const message = Buffer.from(encodeRequest(makeRequest()));
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.write(Buffer.concat([frame, message.subarray(0, 10)]));
    // Answered in order, so after the server has seen the call.
    await new Promise(resolve => session.ping(resolve));
    return {
      session,
      finish: () => {
        stream.resume();
        stream.end(message.subarray(10));
        return trailers;
      },
    };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('comes on %s at once when only idle connections are open', async signal => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const caller = createCaller(address);
    await caller.call(encodeRequest(makeRequest()));
    server.child.kill(signal);
    expect((await server.ended).code).toBe(0);
    caller.close();
  });

  it('waits for a call under way', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const { finish } = await openCall(address);
    server.child.kill('SIGTERM');
    await server.line('stopping');
    expect(await finish()).toMatchObject({ 'grpc-status': '0' });
    expect((await server.ended).code).toBe(0);
    expect(server.lines.map(line => line.msg)).toEqual(expect.arrayContaining(['call', 'stopped']));
  });

  it('is forced by a second signal', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const { session } = await openCall(address);
    server.child.kill('SIGTERM');
    await server.line('stopping');
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(1);
    session.destroy();
  });
});
