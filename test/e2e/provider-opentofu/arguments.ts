/** The command line: what is not known, missing or out of range is refused. */
import { parseArgs } from 'node:util';

export const HELP = `A stand-in for provider-opentofu, for tests: the Workspaces, ProviderConfigs and ClusterProviderConfigs of
opentofu.m.upbound.io, with the real tofu and tools/schema-replay as its providers. See README.md beside it.

usage: node --import tsx test/e2e/provider-opentofu/main.ts OPTIONS

needed:
  --kubeconfig FILE             of the cluster to work for
  --tofu FILE                   the tofu binary
  --mirror DIR                  providers and tofurc, as "schema-replay mirror" writes them
  --remote DIR                  its world.json holds what exists at the providers; made where there is none
  --work DIR                    run directories; one provider at a time

as the provider has them:
  --poll SECONDS                until a Workspace that is as desired is looked at again (600)
  --poll-jitter SECONDS         so much more or less (0; the provider's default is 60)
  --timeout SECONDS             of the tofu commands of one reconcile (1200)
  --max-reconcile-rate N        Workspaces at a time (1)

its constants:
  --backoff-base SECONDS        first wait after a failure; doubled with each in a row (1)
  --backoff-max SECONDS         longest (60)
  --collect SECONDS             between searches for run directories to remove (3600)

of the stand-in:
  --log-level LEVEL             trace, debug, info, warn or error (info)
  --help
`;

export interface Settings {
  readonly kubeconfig: string;
  readonly tofu: string;
  readonly mirror: string;
  readonly remote: string;
  readonly work: string;
  readonly pollMs: number;
  readonly pollJitterMs: number;
  readonly timeoutMs: number;
  readonly maxReconcileRate: number;
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  readonly collectMs: number;
  readonly logLevel: string;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const TEXT = { type: 'string' } as const;

const OPTIONS = {
  kubeconfig: TEXT,
  tofu: TEXT,
  mirror: TEXT,
  remote: TEXT,
  work: TEXT,
  poll: TEXT,
  'poll-jitter': TEXT,
  timeout: TEXT,
  'max-reconcile-rate': TEXT,
  'backoff-base': TEXT,
  'backoff-max': TEXT,
  collect: TEXT,
  'log-level': TEXT,
  help: { type: 'boolean' },
} as const;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

/** More would not fit into a timer. */
const MAX_SECONDS = 86_400;

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** "help" where that is asked for. @throws UsageError */
export function parseArguments(argv: readonly string[]): Settings | 'help' {
  const values = parseValues(argv);
  if (values.help === true) return 'help';
  const settings = {
    kubeconfig: readText(values, 'kubeconfig'),
    tofu: readText(values, 'tofu'),
    mirror: readText(values, 'mirror'),
    remote: readText(values, 'remote'),
    work: readText(values, 'work'),
    pollMs: readMs(values, 'poll', 600),
    pollJitterMs: readMs(values, 'poll-jitter', 0),
    timeoutMs: readMs(values, 'timeout', 1200),
    maxReconcileRate: readCount(values, 'max-reconcile-rate', 1),
    backoffBaseMs: readMs(values, 'backoff-base', 1),
    backoffMaxMs: readMs(values, 'backoff-max', 60),
    collectMs: readMs(values, 'collect', 3600),
    logLevel: readText(values, 'log-level', 'info'),
  };
  if (!LOG_LEVELS.includes(settings.logLevel))
    throw new UsageError(`--log-level: expected one of ${LOG_LEVELS.join(', ')}, got "${settings.logLevel}"`);
  if (settings.pollJitterMs > settings.pollMs) throw new UsageError('--poll-jitter: expected no more than --poll');
  return settings;
}

function parseValues(argv: readonly string[]): Values {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readText(values: Values, name: string, otherwise?: string): string {
  const value = values[name] ?? otherwise;
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name}: expected a value`);
  return value;
}

function readMs(values: Values, name: string, otherwise: number): number {
  const text = readText(values, name, String(otherwise));
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const least = name === 'poll-jitter' ? 0 : 0.05;
  if (!(seconds >= least && seconds <= MAX_SECONDS))
    throw new UsageError(`--${name}: expected seconds, from ${least} to ${MAX_SECONDS}, got "${text}"`);
  return seconds * 1000;
}

function readCount(values: Values, name: string, otherwise: number): number {
  const text = readText(values, name, String(otherwise));
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new UsageError(`--${name}: expected a number from 1 to 999, got "${text}"`);
  return Number(text);
}
