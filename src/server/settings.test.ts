import { describe, expect, it } from 'vitest';
import { type Environment, parseSettings, type ServeSettings, type Transport } from './settings.ts';
import { isStartError } from './start-error.ts';

const serve = (argv: string[], env: Environment = {}): ServeSettings => {
  const settings = parseSettings(argv, env);
  if (settings.kind !== 'serve') throw new Error(`expected serve, got ${settings.kind}`);
  return settings;
};

const tls = (directory: string): Transport => ({
  kind: 'tls',
  directory,
  minVersion: 'TLSv1.3',
  clientSan: undefined,
});

describe('parseSettings', () => {
  it('has defaults for all but the transport', () => {
    expect(serve(['--insecure'])).toEqual({
      kind: 'serve',
      address: { host: '0.0.0.0', port: 9443 },
      transport: { kind: 'insecure' },
      maxMessageBytes: 16 * 1024 * 1024,
      stopDeadlineSeconds: 20,
      keepaliveSeconds: 30,
      maxConnectionAgeSeconds: 3600,
      metricsAddress: undefined,
      debug: false,
    });
  });

  it.each<{ name: string; argv: string[]; env: Environment; transport: Transport }>([
    { name: 'flag', argv: ['--tls-certs-dir', '/a'], env: {}, transport: tls('/a') },
    { name: 'alias', argv: ['--tls-server-certs-dir=/a'], env: {}, transport: tls('/a') },
    {
      name: 'flag and alias that agree',
      argv: ['--tls-certs-dir=/a', '--tls-server-certs-dir=/a'],
      env: {},
      transport: tls('/a'),
    },
    { name: 'environment', argv: [], env: { TLS_SERVER_CERTS_DIR: '/e' }, transport: tls('/e') },
    {
      name: 'flag over environment',
      argv: ['--tls-certs-dir=/a'],
      env: { TLS_SERVER_CERTS_DIR: '/e' },
      transport: tls('/a'),
    },
    {
      name: '--insecure over the environment, which core always sets',
      argv: ['--insecure'],
      env: { TLS_SERVER_CERTS_DIR: '/e' },
      transport: { kind: 'insecure' },
    },
  ])('takes the transport from $name', ({ argv, env, transport }) => {
    expect(serve(argv, env).transport).toEqual(transport);
  });

  it('takes the message limit from the flag, else the environment', () => {
    expect(serve(['--insecure', '--max-message-bytes=5'], { MAX_MESSAGE_BYTES: '6' }).maxMessageBytes).toBe(5);
    expect(serve(['--insecure'], { MAX_MESSAGE_BYTES: '6' }).maxMessageBytes).toBe(6);
  });

  it('takes the times in seconds, and the address of the metrics', () => {
    const argv = ['--stop-deadline=5', '--keepalive=6', '--max-connection-age=7', '--metrics-address=127.0.0.1:8'];
    expect(serve(['--insecure', ...argv])).toMatchObject({
      stopDeadlineSeconds: 5,
      keepaliveSeconds: 6,
      maxConnectionAgeSeconds: 7,
      metricsAddress: { host: '127.0.0.1', port: 8 },
    });
  });

  it('takes what callers must show, and TLS 1.2 where it is asked for', () => {
    const argv = ['--tls-certs-dir=/a', '--tls-client-san=crossplane.crossplane-system', '--tls-min-version=1.2'];
    expect(serve(argv).transport).toMatchObject({
      minVersion: 'TLSv1.2',
      clientSan: 'crossplane.crossplane-system',
    });
  });

  it.each(['-d', '--debug'])('takes %s', flag => {
    expect(serve(['--insecure', flag]).debug).toBe(true);
  });

  it.each([
    [['-h'], 'help'],
    [['--help', '--insecure'], 'help'],
    [['--version'], 'version'],
  ])('takes %j as a question, whatever is missing', (argv, kind) => {
    expect(parseSettings(argv, {}).kind).toBe(kind);
  });

  it.each<{ name: string; argv: string[]; env?: Environment; says: RegExp }>([
    {
      name: 'nothing said about certificates',
      argv: [],
      says: /^no certificates: give --tls-certs-dir or TLS_SERVER_CERTS_DIR, or --insecure/,
    },
    {
      name: 'empty variable',
      argv: [],
      env: { TLS_SERVER_CERTS_DIR: '' },
      says: /^TLS_SERVER_CERTS_DIR: expected a directory, got an empty string$/,
    },
    { name: 'empty flag', argv: ['--tls-certs-dir='], says: /^--tls-certs-dir: expected a directory/ },
    {
      name: 'empty flag beside --insecure',
      argv: ['--insecure', '--tls-certs-dir='],
      says: /^--tls-certs-dir: expected a directory/,
    },
    {
      name: 'two directories',
      argv: ['--tls-certs-dir=/a', '--tls-server-certs-dir=/b'],
      says: /same flag, got "\/a" and "\/b"$/,
    },
    { name: 'TLS and none', argv: ['--insecure', '--tls-certs-dir=/a'], says: /contradict/ },
    { name: 'a name for callers without TLS', argv: ['--insecure', '--tls-client-san=a'], says: /contradict/ },
    { name: 'a TLS version without TLS', argv: ['--insecure', '--tls-min-version=1.2'], says: /contradict/ },
    {
      name: 'TLS 1.1',
      argv: ['--tls-certs-dir=/a', '--tls-min-version=1.1'],
      says: /^--tls-min-version: expected 1\.2 or 1\.3, got "1\.1"$/,
    },
    ...['', '*.a', 'a b', 'DNS:a', '.a'].map(text => ({
      name: `callers named "${text}"`,
      argv: ['--tls-certs-dir=/a', `--tls-client-san=${text}`],
      says: /^--tls-client-san: expected a DNS name/,
    })),
    {
      name: 'metrics nowhere',
      argv: ['--insecure', '--metrics-address=8081'],
      says: /^--metrics-address: expected host/,
    },
    ...['stop-deadline', 'keepalive', 'max-connection-age'].flatMap(name =>
      ['0', '-1', '1.5', '86401', 'soon'].map(text => ({
        name: `--${name} ${text}`,
        argv: ['--insecure', `--${name}=${text}`],
        says: new RegExp(`^--${name}: expected a whole number from 1 to 86400`),
      })),
    ),
    { name: 'unknown flag', argv: ['--insecure', '--tls'], says: /'--tls'.*\(--help lists the flags\)$/ },
    { name: 'flag without its value', argv: ['--insecure', '--address'], says: /--address/ },
    { name: 'value for a switch', argv: ['--insecure=false'], says: /--insecure/ },
    { name: 'words', argv: ['serve', '--insecure'], says: /serve/ },
    ...['0', '-1', 'abc', '', '1.5', '1e6', '2147483648', ' 5'].flatMap(text => [
      {
        name: `limit "${text}"`,
        argv: ['--insecure', `--max-message-bytes=${text}`],
        says: /^--max-message-bytes: expected a whole number from 1/,
      },
      {
        name: `limit "${text}" in the environment`,
        argv: ['--insecure'],
        env: { MAX_MESSAGE_BYTES: text },
        says: /^MAX_MESSAGE_BYTES: expected/,
      },
    ]),
  ])('refuses $name in one line', ({ argv, env = {}, says }) => {
    let caught: unknown;
    try {
      parseSettings(argv, env);
    } catch (error) {
      caught = error;
    }
    expect(isStartError(caught) && caught.blame).toBe('usage');
    expect((caught as Error).message).toMatch(says);
    expect((caught as Error).message).not.toContain('\n');
  });
});
