import { parseArgs } from 'node:util';
import { quoteShort } from '../errors.ts';
import { type Address, parseAddress } from './address.ts';
import { StartError } from './start-error.ts';

const DEFAULT_ADDRESS = '0.0.0.0:9443';
/** grpc-js refuses above 4 MiB by default; a namespace with many objects makes larger requests. */
const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Node counts in signed 32-bit numbers in places below us. */
const LARGEST_MAX_MESSAGE_BYTES = 2 ** 31 - 1;

export type Transport = { readonly kind: 'insecure' } | { readonly kind: 'tls'; readonly directory: string };

export interface ServeSettings {
  readonly kind: 'serve';
  readonly address: Address;
  readonly transport: Transport;
  readonly maxMessageBytes: number;
  readonly debug: boolean;
}

export type Settings = ServeSettings | { readonly kind: 'help' } | { readonly kind: 'version' };

export type Environment = Readonly<Record<string, string | undefined>>;

export const HELP = `Usage: function-tofu-workspace [flags]

Serves the composition function over gRPC with mutual TLS.

  --address HOST:PORT         where to listen (default ${DEFAULT_ADDRESS})
  --tls-certs-dir DIR         directory with tls.crt, tls.key and ca.crt; also TLS_SERVER_CERTS_DIR
  --tls-server-certs-dir DIR  the same
  --insecure                  no TLS: anyone who reaches the port can call; for development only
  --max-message-bytes N       largest request taken (default ${DEFAULT_MAX_MESSAGE_BYTES}); also MAX_MESSAGE_BYTES
  -d, --debug                 log the reasons of each answer
  -h, --help                  print this
  --version                   print the version

Flags win over the environment.
`;

/** @throws StartError that blames usage */
export function parseSettings(argv: readonly string[], env: Environment): Settings {
  const flags = parseFlags(argv);
  if (flags.help === true) return { kind: 'help' };
  if (flags.version === true) return { kind: 'version' };
  return {
    kind: 'serve',
    address: parseAddress(flags.address ?? DEFAULT_ADDRESS),
    transport: parseTransport(flags, env),
    maxMessageBytes: parseMaxMessageBytes(flags['max-message-bytes'], env),
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
        'max-message-bytes': { type: 'string' },
        'tls-certs-dir': { type: 'string' },
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
  if (flags.insecure === true) {
    if (directory !== undefined)
      throw new StartError('usage', '--insecure and --tls-certs-dir contradict each other: give one of them');
    return { kind: 'insecure' };
  }
  const chosen = directory ?? env.TLS_SERVER_CERTS_DIR;
  if (chosen === undefined)
    throw new StartError(
      'usage',
      'no certificates: give --tls-certs-dir or TLS_SERVER_CERTS_DIR, or --insecure to serve without TLS',
    );
  if (chosen === '') throw new StartError('usage', 'TLS_SERVER_CERTS_DIR: expected a directory, got an empty string');
  return { kind: 'tls', directory: chosen };
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
  const text = flag ?? env.MAX_MESSAGE_BYTES;
  if (text === undefined) return DEFAULT_MAX_MESSAGE_BYTES;
  const bytes = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (bytes < 1 || bytes > LARGEST_MAX_MESSAGE_BYTES)
    throw new StartError(
      'usage',
      `${flag === undefined ? 'MAX_MESSAGE_BYTES' : '--max-message-bytes'}: expected a whole number from 1 to ${LARGEST_MAX_MESSAGE_BYTES}, got ${quoteShort(text)}`,
    );
  return bytes;
}
