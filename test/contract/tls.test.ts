/** Who may call, tried on the real process with certificates shaped like Crossplane's. */
import { type ChannelCredentials, credentials, status } from '@grpc/grpc-js';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls, type SecureVersion, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCaller, encodeRequest, failureOf, makeRequest } from './caller.ts';
import { type Authority, type Pair, type Parts, Pki } from './pki.ts';
import { ServerProcess } from './server-process.ts';

const trusting = (authority: Pair, client?: Pair): ChannelCredentials =>
  credentials.createSsl(
    Buffer.from(authority.cert),
    ...(client === undefined ? [] : ([Buffer.from(client.key), Buffer.from(client.cert)] as const)),
  );

/** One connection, and nothing said over it. @returns the TLS version, or the error */
async function handshake(address: string, client?: Pair, maxVersion?: SecureVersion): Promise<unknown> {
  const socket = open(address, client, maxVersion);
  try {
    await once(socket, 'secureConnect');
    return socket.getProtocol();
  } catch (error) {
    return error;
  } finally {
    socket.on('error', () => undefined);
    socket.end();
  }
}

function open(address: string, client?: Pair, maxVersion: SecureVersion = 'TLSv1.3'): TLSSocket {
  const [host = '', port = ''] = address.split(':');
  const own = client === undefined ? {} : { cert: client.cert, key: client.key };
  return connectTls({ host, port: Number(port), ...own, maxVersion, ALPNProtocols: ['h2'], rejectUnauthorized: false });
}

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

  const trust = (client?: Pair): ChannelCredentials => trusting(authority, client);

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

  it.each<{ name: string; client: () => Pair | undefined; reason: string | RegExp }>([
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
    {
      name: 'an expired certificate',
      client: () => authority.issue({ usage: 'clientAuth', valid: [-2, -1] }),
      reason: /^client certificate expired on /,
    },
    {
      name: 'a certificate that is not yet valid',
      client: () => authority.issue({ usage: 'clientAuth', valid: [1, 2] }),
      reason: /^client certificate not valid before /,
    },
  ])('refuses $name with one line that says why', async ({ client: makeClient, reason }) => {
    const [refusing, where] = await ServerProcess.listening(['--tls-certs-dir', directory]);
    const client = makeClient();
    await handshake(where, client);
    const line = await refusing.line('connection refused');
    expect(line).toMatchObject({ level: 'warn' });
    expect(line.reason).toMatch(reason);
    expect(refusing.lines.filter(({ msg }) => msg === 'connection refused')).toHaveLength(1);
    const caller = createCaller(where, trust(client));
    expect((await failureOf(caller.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    caller.close();
    expect((await refusing.stop()).code).toBe(0);
    // A refused gRPC client tries again, each time with a line of its own.
    const said = new Set(refusing.lines.map(({ msg }) => msg));
    expect(said).toEqual(new Set(['listening', 'connection refused', 'stopping', 'stopped']));
  });

  it('refuses TLS 1.2, and takes it where a flag says so', async () => {
    const client = authority.issue({ usage: 'clientAuth' });
    expect(await handshake(address, client, 'TLSv1.2')).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    const [older, where] = await ServerProcess.listening(['--tls-certs-dir', directory, '--tls-min-version', '1.2']);
    expect(await handshake(where, client, 'TLSv1.2')).toBe('TLSv1.2');
    expect(await handshake(where, client)).toBe('TLSv1.3');
    // Also there nobody is let in unseen.
    await handshake(where, authority.issue({ usage: 'serverAuth' }), 'TLSv1.2');
    expect(await older.line('connection refused')).toMatchObject({ reason: 'certificate not meant for clients' });
    expect((await older.stop()).code).toBe(0);
  });

  it('refuses a caller of another name where a flag gives one', async () => {
    const [server, where] = await ServerProcess.listening([
      ...['--tls-certs-dir', directory, '--tls-client-san', 'crossplane.crossplane-system'],
    ]);
    const right = createCaller(where, trust(authority.issue({ usage: 'clientAuth' })));
    expect((await right.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    right.close();
    const wrong = createCaller(where, trust(authority.issue({ usage: 'clientAuth', names: 'DNS:another' })));
    expect((await failureOf(wrong.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    wrong.close();
    expect(await server.line('connection refused')).toMatchObject({
      reason: 'client certificate not for crossplane.crossplane-system',
    });
    expect((await server.stop()).code).toBe(0);
  });

  it('makes the caller connect anew after a while, and drops no call over it', async () => {
    const args = ['--tls-certs-dir', directory, '--max-connection-age', '1', '--debug'];
    const [server, where] = await ServerProcess.listening(args);
    const client = authority.issue({ usage: 'clientAuth' });
    const callers = Array.from({ length: 5 }, () => createCaller(where, trust(client)));
    const until = Date.now() + 3_500;
    const counts = await Promise.all(
      callers.map(async caller => {
        let count = 0;
        for (; Date.now() < until; count += 1) await caller.call(encodeRequest(makeRequest()));
        return count;
      }),
    );
    for (const caller of callers) caller.close();
    expect((await server.stop()).code).toBe(0);
    expect(server.lines.filter(line => line.msg === 'call')).toHaveLength(counts.reduce((sum, count) => sum + count));
    // Each of the five connected at the start and at least twice since.
    expect(server.lines.filter(line => line.msg === 'connection accepted').length).toBeGreaterThanOrEqual(15);
  });

  it('refuses plaintext', async () => {
    const caller = createCaller(address);
    expect((await failureOf(caller.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    caller.close();
  });

  it('has answered only those that may call', async () => {
    // The line of the last call may still be on its way.
    await vi.waitFor(() => {
      expect(server.lines.filter(line => line.msg === 'call').length).toBeGreaterThanOrEqual(6);
    });
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

describe('certificates that change', { concurrent: true }, () => {
  const pki = new Pki();
  afterAll(() => {
    pki.remove();
  });

  const makeParts = (authority: Authority, trusted: Pair = authority): Parts => {
    const names = 'DNS:localhost';
    const leaf = authority.issue({ usage: 'serverAuth', subject: '/CN=function', names });
    return { 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': trusted.cert };
  };

  async function servedSerial(address: string): Promise<string> {
    const socket = open(address);
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber ?? '';
    socket.on('error', () => undefined);
    socket.destroy();
    return serial;
  }

  const serialOf = (parts: Parts): string => new X509Certificate(parts['tls.crt'] ?? '').serialNumber;

  it('are taken with the authority, without a call dropped; a broken pair is logged and not taken', async ({
    expect,
  }) => {
    const [old, fresh] = [pki.createAuthority(), pki.createAuthority()];
    const first = makeParts(old);
    const volume = pki.mountVolume(first);
    const [server, address] = await ServerProcess.listening(['--tls-certs-dir', volume.directory]);
    const oldClient = old.issue({ usage: 'clientAuth' });
    const steady = createCaller(address, trusting(old, oldClient));

    const end = new AbortController();
    let answered = 0;
    const calls = (async () => {
      for (; !end.signal.aborted; answered += 1) await steady.call(encodeRequest(makeRequest()));
    })();

    volume.update({ ...makeParts(old), 'tls.key': first['tls.key'] });
    expect(await server.line('cannot reload certificates: keeping the old ones')).toMatchObject({
      level: 'error',
      reason: expect.stringMatching(/tls\.key is not the key of the certificate in .*tls\.crt$/) as string,
    });
    expect(await servedSerial(address)).toBe(serialOf(first));

    const second = makeParts(fresh);
    volume.update(second);
    expect(await server.line('certificates reloaded')).toMatchObject({ level: 'info', subject: 'CN=function' });
    expect(await servedSerial(address)).toBe(serialOf(second));

    const renewed = createCaller(address, trusting(fresh, fresh.issue({ usage: 'clientAuth' })));
    expect((await renewed.call(encodeRequest(makeRequest()))).meta?.tag).toBe('tag-1');
    renewed.close();
    const outdated = createCaller(address, trusting(fresh, oldClient));
    expect((await failureOf(outdated.call(encodeRequest(makeRequest())))).code).toBe(status.UNAVAILABLE);
    outdated.close();

    end.abort();
    await calls;
    expect(answered).toBeGreaterThan(10);
    steady.close();
    expect((await server.stop()).code).toBe(0);
    // What stays broken is said once.
    expect(server.lines.filter(line => line.level === 'error')).toHaveLength(1);
  });

  it('make the process not ready while they are out of date, and ready again', async ({ expect }) => {
    const authority = pki.createAuthority();
    const good = makeParts(authority);
    const stale = authority.issue({ usage: 'serverAuth', subject: '/CN=function', valid: [-2, -1] });
    const volume = pki.mountVolume({ ...good, 'tls.crt': stale.cert, 'tls.key': stale.key });
    const args = ['--tls-certs-dir', volume.directory, '--metrics-address', '127.0.0.1:0'];
    const [server, address] = await ServerProcess.listening(args);
    const { metricsAddress } = await server.line('listening');
    const fetchReady = () => fetch(`http://${String(metricsAddress)}/readyz`);
    const client = authority.issue({ usage: 'clientAuth' });
    const channel = credentials.createSsl(null, Buffer.from(client.key), Buffer.from(client.cert), {
      rejectUnauthorized: false,
    });
    const caller = createCaller(address, channel);
    const check = () => caller.callBytes(new Uint8Array(), '/grpc.health.v1.Health/Check');

    expect(await server.line('certificates unusable: not ready')).toMatchObject({ level: 'error' });
    const refused = await fetchReady();
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringMatching(/^server certificate expired on /),
    ]);
    expect(await check()).toEqual(Buffer.of(0x08, 2));

    volume.update(good);
    await server.line('certificates usable again');
    expect((await fetchReady()).status).toBe(200);
    expect(await check()).toEqual(Buffer.of(0x08, 1));
    caller.close();
    expect((await server.stop()).code).toBe(0);
  });
});
