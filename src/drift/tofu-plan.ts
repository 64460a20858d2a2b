/** What `tofu plan -detailed-exitcode -json` says: counts and addresses, none of its values and messages. */
import { isRecord, readPath } from '../kube.ts';
import type { Ended, Outcome } from './row.ts';

/** OpenTofu's exit codes with -detailed-exitcode. */
const NOTHING = 0;
const CHANGES = 2;

/** Known failures, in our own words: the message itself may quote anything. */
const FAILURES: readonly (readonly [pattern: RegExp, kind: 'failed' | 'not checked', detail: string])[] = [
  [/has no \.env\b/, 'not checked', 'no credentials: there is no .env'],
  [
    /\.env can be read by others|empty or missing in .*\.env|is not in \.env\.example|\.env:\d+: /,
    'not checked',
    'no credentials: .env is incomplete, faulty or readable by others',
  ],
  [/there is no tofu on the PATH/, 'not checked', 'there is no tofu on the PATH'],
  [
    /initialization required|Inconsistent dependency lock file|Required plugins are not installed|Module not installed|Backend configuration changed|run.{0,20}tofu init/i,
    'failed',
    'not initialised: run init first; drift does not, since it would write',
  ],
  [/decrypt|unencrypted payload/i, 'failed', 'its state cannot be decrypted'],
  [
    /Unable to find remote state|Failed to (?:load|read|get) .{0,30}state|Error (?:loading|refreshing) .{0,20}state|NoSuchBucket|AccessDenied|InvalidAccessKeyId|StatusCode: 40[13]/i,
    'failed',
    'a state cannot be read: look at the state bucket and its credentials',
  ],
];

const ACTIONS: Readonly<Record<string, string>> = {
  create: 'to add',
  update: 'to change',
  delete: 'to destroy',
  replace: 'to replace',
  remove: 'to forget',
  forget: 'to forget',
  import: 'to import',
  move: 'to move',
};

export function readTofuPlan({ code, stdout, stderr }: Ended): Outcome {
  const messages = parseLines(stdout);
  const outside = addressesOf(messages, 'resource_drift');
  if (code === NOTHING)
    return {
      kind: 'no drift',
      detail: outside.length === 0 ? 'no changes' : `${outside.length} changed outside, nothing to do about it`,
    };
  if (code !== CHANGES) return explainFailure(messages, `${stderr}\n${stdout}`);
  const planned = messages.filter(message => readPath(message, 'type') === 'planned_change');
  const addresses = planned.map(
    message =>
      `${String(readPath(message, 'change', 'resource', 'addr'))} (${String(readPath(message, 'change', 'action'))})`,
  );
  const details = [countActions(planned), outside.length === 0 ? '' : `${outside.length} of them changed outside`];
  return {
    kind: 'drift',
    detail: details.filter(part => part !== '').join('; ') || 'only outputs would change',
    addresses,
  };
}

/** In the same order whatever order they were planned in. */
function countActions(planned: readonly unknown[]): string {
  const actions = planned.map(message => String(readPath(message, 'change', 'action')));
  const known = Object.keys(ACTIONS);
  const order = [...known, ...new Set(actions.filter(action => !known.includes(action)))];
  return order
    .map(
      action => [actions.filter(candidate => candidate === action).length, ACTIONS[action] ?? `to ${action}`] as const,
    )
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(', ');
}

function explainFailure(messages: readonly unknown[], text: string): Outcome {
  const known = FAILURES.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return { kind: known[1], detail: known[2] };
  const errors = messages.filter(message => readPath(message, 'diagnostic', 'severity') === 'error');
  const places = errors
    .map(message => readPath(message, 'diagnostic', 'address'))
    .filter(address => typeof address === 'string');
  const at = places.length === 0 ? '' : ` at ${[...new Set(places)].join(', ')}`;
  return { kind: 'failed', detail: `the plan fails with ${Math.max(errors.length, 1)} error(s)${at}: run it by hand` };
}

function addressesOf(messages: readonly unknown[], type: string): readonly string[] {
  return messages
    .filter(message => readPath(message, 'type') === type)
    .map(message => String(readPath(message, 'change', 'resource', 'addr')));
}

/** Lines that are no JSON are talk. */
function parseLines(stdout: string): readonly unknown[] {
  return stdout.split('\n').flatMap(line => {
    if (!line.startsWith('{')) return [];
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
