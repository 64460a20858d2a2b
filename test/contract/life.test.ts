/** What an operator can rely on, tried on the real process: start, signs of life, end. */
import { Client, credentials, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createCaller, encodeRequest, failureOf, makeRequest, METHOD, SECRET } from './caller.ts';
import { ServerProcess } from './server-process.ts';

async function* watchHealth(address: string, service: Uint8Array = new Uint8Array()): AsyncGenerator<Buffer> {
  const client = new Client(address, credentials.createInsecure());
  const stream = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    (value: Uint8Array) => Buffer.from(value),
    (value: Buffer) => value,
    service,
  );
  try {
    for await (const message of stream) yield message as Buffer;
  } finally {
    stream.cancel();
    client.close();
  }
}

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
    {
      name: 'metrics on a bad address',
      args: ['--insecure', '--metrics-address', '8081'],
      code: 2,
      says: /--metrics-address: expected host:port/,
    },
    { name: 'a bad deadline', args: ['--insecure', '--stop-deadline', 'soon'], code: 2, says: /--stop-deadline/ },
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
    const taken = `127.0.0.1:${port}`;
    const all = await Promise.all([
      new ServerProcess(['--insecure', '--address', taken]).ended,
      new ServerProcess(['--insecure', '--address', '127.0.0.1:0', '--metrics-address', taken]).ended,
    ]);
    holder.close();
    for (const ended of all) {
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('hears a signal that comes before it listens, and ends in order', async () => {
    // Sent by the process to itself, as soon as it would hear it.
    const preload =
      'process.on("newListener", name => name === "SIGTERM" && process.nextTick(() => process.kill(process.pid, name)))';
    const server = new ServerProcess(['--insecure', '--address', '127.0.0.1:0'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    });
    expect((await server.ended).code).toBe(0);
    expect(server.lines.map(line => line.msg)).toEqual(expect.arrayContaining(['stopping', 'stopped']));
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

describe('the health service', () => {
  const named = (service: string): Buffer => Buffer.concat([Buffer.of(0x0a, service.length), Buffer.from(service)]);

  it('answers for the process and for the function, and knows no other', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const caller = createCaller(address);
    const check = (request: Uint8Array) => caller.callBytes(request, '/grpc.health.v1.Health/Check');
    expect(await check(new Uint8Array())).toEqual(Buffer.of(0x08, 1));
    expect(await check(named('apiextensions.fn.proto.v1.FunctionRunnerService'))).toEqual(Buffer.of(0x08, 1));
    expect((await failureOf(check(named('another')))).code).toBe(status.NOT_FOUND);
    expect((await failureOf(check(Buffer.of(0x0a, 0x7f)))).code).toBe(status.INTERNAL);
    const unknown = watchHealth(address, named('another'));
    expect((await unknown.next()).value).toEqual(Buffer.of(0x08, 3));
    await unknown.return(undefined);
    caller.close();
    expect((await server.stop()).code).toBe(0);
  });
});

describe('the metrics', () => {
  it('are not served unless asked for, and then count calls, outcomes, time and memory, and say no names', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure', '--metrics-address', '127.0.0.1:0']);
    const base = `http://${String((await server.line('listening')).metricsAddress)}`;
    const caller = createCaller(address);
    await caller.call(encodeRequest(makeRequest()));
    await caller.call(new Uint8Array());
    await failureOf(caller.call(Uint8Array.of(0x0a, 0x7f)));
    caller.close();

    const response = await fetch(`${base}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    const value = (name: string): number =>
      Number(
        text
          .split('\n')
          .find(line => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    const calls = (outcome: string): number => value(`function_tofu_workspace_calls_total{outcome="${outcome}"}`);
    expect(calls('waiting') + calls('refused')).toBe(2);
    expect([calls('malformed'), calls('settled'), calls('failed'), calls('too-large')]).toEqual([1, 0, 0, 0]);
    expect(value('function_tofu_workspace_call_duration_seconds_count')).toBe(3);
    expect(value('function_tofu_workspace_call_duration_seconds_sum')).toBeGreaterThan(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10 * 1024 * 1024);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(text).not.toMatch(new RegExp(`demo-a|workspace"|${SECRET}`));

    expect((await fetch(`${base}/livez`)).status).toBe(200);
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    expect((await fetch(`${base}/other`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await server.stop()).code).toBe(0);
  });
});

describe('the log', () => {
  it('holds no call up where nobody reads it, and goes on when somebody does', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure', '--debug']);
    server.child.stderr?.pause();
    const caller = createCaller(address);
    // A call makes lines of half a KiB: together more than all buffers between the two processes hold.
    for (let batch = 0; batch < 40; batch += 1)
      await Promise.all(Array.from({ length: 50 }, () => caller.call(encodeRequest(makeRequest()))));
    // What is said last, while nothing can be written, comes without anything being said after it.
    await caller.call(new Uint8Array());
    server.child.stderr?.resume();
    await server.call('refused');
    caller.close();
    const ended = await server.stop();
    expect(ended.code).toBe(0);
    expect(Buffer.byteLength(ended.stderr)).toBeGreaterThan(512 * 1024);
    expect(server.lines.at(-1)).toMatchObject({ msg: 'stopped' });
  }, 60_000);
});

describe('a dead peer', () => {
  it('is cut off when it gives no sign of life', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure', '--keepalive', '1']);
    const [host = '', port = ''] = address.split(':');
    const socket = connectTcp({ host, port: Number(port) });
    socket.on('error', () => undefined);
    socket.resume();
    // The preface and empty SETTINGS, and then no answer to any ping.
    socket.write(
      Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0)]),
    );
    const live = createCaller(address);
    await live.call(encodeRequest(makeRequest()));
    await once(socket, 'close');
    expect((await live.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    live.close();
    expect((await server.stop()).code).toBe(0);
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

  it('is forced after the deadline', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure', '--stop-deadline', '1']);
    const { session } = await openCall(address);
    server.child.kill('SIGTERM');
    await server.line('stopping');
    const late = createCaller(address);
    expect((await failureOf(late.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    late.close();
    expect((await server.ended).code).toBe(0);
    expect(await server.line('cutting open calls')).toMatchObject({ reason: 'calls still open after 1000 ms' });
    session.destroy();
  });

  it('does not wait for those who watch its health', async () => {
    const [server, address] = await ServerProcess.listening(['--insecure']);
    const said = watchHealth(address);
    expect((await said.next()).value).toEqual(Buffer.of(0x08, 1));
    server.child.kill('SIGTERM');
    expect((await said.next()).value).toEqual(Buffer.of(0x08, 2));
    expect((await said.next()).done).toBe(true);
    expect((await server.ended).code).toBe(0);
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
