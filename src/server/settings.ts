import { parseArgs } from 'node:util';
import { quoteShort } from '../errors.ts';
import { type Address, parseAddress } from './address.ts';
import { StartError } from './start-error.ts';

const DEFAULT_ADDRESS = '0.0.0.0:9443';
/** grpc-js refuses above 4 MiB by default; a namespace with many objects makes larger requests. */
const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Node counts in signed 32-bit numbers in places below us. */
const LARGEST_MAX_MESSAGE_BYTES = 2 ** 31 - 1;

/** Below the 30 seconds that Kubernetes grants by default, so that the end is ours to log. */
const DEFAULT_STOP_DEADLINE_SECONDS = 20;
const DEFAULT_KEEPALIVE_SECONDS = 30;
/** A caller is judged when it connects: so long can a certificate that has run out since still be used. */
const DEFAULT_MAX_CONNECTION_AGE_SECONDS = 3600;
const LONGEST_SECONDS = 24 * 60 * 60;

export type Transport =
  | { readonly kind: 'insecure' }
  | {
      readonly kind: 'tls';
      readonly directory: string;
      readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
      readonly clientSan: string | undefined;
    };

export interface ServeSettings {
  readonly kind: 'serve';
  readonly address: Address;
  readonly transport: Transport;
  readonly maxMessageBytes: number;
  readonly stopDeadlineSeconds: number;
  readonly keepaliveSeconds: number;
  readonly maxConnectionAgeSeconds: number;
  /** undefined serves neither metrics nor readiness over HTTP. */
  readonly metricsAddress: Address | undefined;
  readonly debug: boolean;
}

export type Settings = ServeSettings | { readonly kind: 'help' } | { readonly kind: 'version' };

export type Environment = Readonly<Record<string, string | undefined>>;

export const HELP = `Usage: function-tofu-workspace [flags]

Serves the composition function over gRPC with mutual TLS.

  --address HOST:PORT           where to listen (default ${DEFAULT_ADDRESS})
  --tls-certs-dir DIR           directory with tls.crt, tls.key and ca.crt, followed when they change; also TLS_SERVER_CERTS_DIR
  --tls-server-certs-dir DIR    the same
  --tls-client-san NAME         DNS name that a caller's certificate must carry, such as crossplane.crossplane-system
  --tls-min-version VERSION     1.3 (default) or 1.2
  --insecure                    no TLS: anyone who reaches the port can call; for development only
  --metrics-address HOST:PORT   plain HTTP with /metrics, /livez and /readyz, such as 127.0.0.1:8081 (default: none)
  --max-message-bytes N         largest request taken (default ${DEFAULT_MAX_MESSAGE_BYTES}); also MAX_MESSAGE_BYTES
  --stop-deadline SECONDS       how long calls under way may take to end when stopped (default ${DEFAULT_STOP_DEADLINE_SECONDS})
  --keepalive SECONDS           how long a silent peer is left alone, and then waited for (default ${DEFAULT_KEEPALIVE_SECONDS})
  --max-connection-age SECONDS  after which a caller must connect, and show its certificate, anew (default ${DEFAULT_MAX_CONNECTION_AGE_SECONDS})
  -d, --debug                   log the reasons of each answer
  -h, --help                    print this
  --version                     print the version

Flags win over the environment.
`;

/** @throws StartError that blames usage */
export function parseSettings(argv: readonly string[], env: Environment): Settings {
  const flags = parseFlags(argv);
  if (flags.help === true) return { kind: 'help' };
  if (flags.version === true) return { kind: 'version' };
  return {
    kind: 'serve',
    address: parseAddress(flags.address ?? DEFAULT_ADDRESS, '--address'),
    transport: parseTransport(flags, env),
    maxMessageBytes: parseMaxMessageBytes(flags['max-message-bytes'], env),
    stopDeadlineSeconds: parseSeconds(flags, 'stop-deadline', DEFAULT_STOP_DEADLINE_SECONDS),
    keepaliveSeconds: parseSeconds(flags, 'keepalive', DEFAULT_KEEPALIVE_SECONDS),
    maxConnectionAgeSeconds: parseSeconds(flags, 'max-connection-age', DEFAULT_MAX_CONNECTION_AGE_SECONDS),
    metricsAddress: parseMetricsAddress(flags['metrics-address']),
    debug: flags.debug === true,
  };
}

type Flags = ReturnType<typeof parseFlags>;

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      allowPositionals: false,
      options: {
        address: { type: 'string' },
        debug: { type: 'boolean', short: 'd' },
        help: { type: 'boolean', short: 'h' },
        insecure: { type: 'boolean' },
        keepalive: { type: 'string' },
        'max-connection-age': { type: 'string' },
        'max-message-bytes': { type: 'string' },
        'metrics-address': { type: 'string' },
        'stop-deadline': { type: 'string' },
        'tls-certs-dir': { type: 'string' },
        'tls-client-san': { type: 'string' },
        'tls-min-version': { type: 'string' },
        'tls-server-certs-dir': { type: 'string' },
        version: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new StartError(
      'usage',
      `${error instanceof Error ? error.message : String(error)} (--help lists the flags)`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Plaintext only where it is asked for in so many words. Core sets TLS_SERVER_CERTS_DIR in every
 * function's container, so `--insecure` beside that variable is no contradiction; beside a flag it is.
 */
function parseTransport(flags: Flags, env: Environment): Transport {
  const directory = parseDirectoryFlags(flags);
  const minVersion = parseMinVersion(flags['tls-min-version']);
  const clientSan = parseClientSan(flags['tls-client-san']);
  if (flags.insecure === true) {
    refuseTlsFlags(flags);
    return { kind: 'insecure' };
  }
  const chosen = directory ?? env.TLS_SERVER_CERTS_DIR;
  if (chosen === undefined)
    throw new StartError(
      'usage',
      'no certificates: give --tls-certs-dir or TLS_SERVER_CERTS_DIR, or --insecure to serve without TLS',
    );
  if (chosen === '') throw new StartError('usage', 'TLS_SERVER_CERTS_DIR: expected a directory, got an empty string');
  return { kind: 'tls', directory: chosen, minVersion, clientSan };
}

/** Whoever gives one believes that it protects. */
function refuseTlsFlags(flags: Flags): void {
  for (const name of ['tls-certs-dir', 'tls-server-certs-dir', 'tls-client-san', 'tls-min-version'] as const)
    if (flags[name] !== undefined)
      throw new StartError('usage', `--insecure and --${name} contradict each other: give one of them`);
}

function parseMinVersion(text: string | undefined): 'TLSv1.2' | 'TLSv1.3' {
  switch (text) {
    case undefined:
    case '1.3':
      return 'TLSv1.3';
    case '1.2':
      return 'TLSv1.2';
    default:
      throw new StartError('usage', `--tls-min-version: expected 1.2 or 1.3, got ${quoteShort(text)}`);
  }
}

function parseClientSan(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text))
    throw new StartError('usage', `--tls-client-san: expected a DNS name without wildcards, got ${quoteShort(text)}`);
  return text;
}

function parseMetricsAddress(text: string | undefined): Address | undefined {
  return text === undefined ? undefined : parseAddress(text, '--metrics-address');
}

function parseDirectoryFlags(flags: Flags): string | undefined {
  const { 'tls-certs-dir': directory, 'tls-server-certs-dir': alias } = flags;
  if (directory !== undefined && alias !== undefined && directory !== alias)
    throw new StartError(
      'usage',
      `--tls-certs-dir and --tls-server-certs-dir are the same flag, got ${quoteShort(directory)} and ${quoteShort(alias)}`,
    );
  const chosen = directory ?? alias;
  if (chosen === '') throw new StartError('usage', '--tls-certs-dir: expected a directory, got an empty string');
  return chosen;
}

function parseMaxMessageBytes(flag: string | undefined, env: Environment): number {
  const [text, source] =
    flag === undefined ? [env.MAX_MESSAGE_BYTES, 'MAX_MESSAGE_BYTES'] : [flag, '--max-message-bytes'];
  return text === undefined ? DEFAULT_MAX_MESSAGE_BYTES : parseWhole(text, source, LARGEST_MAX_MESSAGE_BYTES);
}

function parseSeconds(
  flags: Flags,
  name: 'stop-deadline' | 'keepalive' | 'max-connection-age',
  otherwise: number,
): number {
  const text = flags[name];
  return text === undefined ? otherwise : parseWhole(text, `--${name}`, LONGEST_SECONDS);
}

function parseWhole(text: string, source: string, largest: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > largest)
    throw new StartError('usage', `${source}: expected a whole number from 1 to ${largest}, got ${quoteShort(text)}`);
  return number;
}
