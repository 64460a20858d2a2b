/** Owns the process: arguments, exit code, and that no value is ever printed but by `show`. */
import { parseArgs } from 'node:util';
import { readSite, type Site } from '../site/site.ts';
import { withAgent } from './agent.ts';
import { isSecretName, keysOf, partsOf, remedyFor, SECRET_NAMES, type SecretName } from './catalogue.ts';
import type { Values } from './generate.ts';
import { findFaults, generate, isGatewayUp, promote, provision } from './phase-zero.ts';
import { runWithSecrets } from './run-with-secrets.ts';
import { SecretStore } from './secret-store.ts';

const USAGE = `usage: secret-zero COMMAND
  generate                   make what is missing, stage it in AWS, read it back      (p0_gen)
  provision                  initialise the router as VPN gateway with what is staged  (p0_prov)
  promote                    make current what the router runs with                    (p0_push)
  check secrets|gateway      does phase 0 hold?
  fetch NAME...              can everything that a phase needs be read?                (p1_fetch ... p5_ansible_fetch)
  list                       which keys are there; no values
  put NAME KEY               store one value, read from stdin
  show NAME KEY              print one value, to a terminal only
  exec [--env VARIABLE=NAME.KEY]... [--file VARIABLE=NAME.KEY]... [--agent] -- COMMAND...
                             run it with secrets in its environment, in files without a name, in an SSH agent
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

class UsageError extends Error {}

type Command = (site: Site, store: SecretStore, args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  generate: async (site, store) => done(generate(site, store, say)),
  provision: async (site, store) => done(provision(site, store, say)),
  promote: async (site, store) => done(promote(site, store, say)),
  check: async (site, store, [what]) => (what === 'gateway' ? checkGateway(site, store) : checkSecrets(store)),
  fetch: async (_, store, names) => fetchSecrets(store, names.map(parseName)),
  list: async (_, store) => list(store),
  put: async (_, store, [name, key]) => put(store, parseName(name), parseKey(parseName(name), key)),
  show: async (_, store, [name, key]) => show(store, parseName(name), parseKey(parseName(name), key)),
  exec: async (_, store, args) => exec(store, args),
};

async function done(work: Promise<void>): Promise<number> {
  await work;
  return 0;
}

function parseName(text: string | undefined): SecretName {
  if (text !== undefined && isSecretName(text)) return text;
  throw new UsageError(`unknown secret ${text ?? '(none)'}, there are: ${SECRET_NAMES.join(', ')}`);
}

function parseKey(name: SecretName, text: string | undefined): string {
  const keys = partsOf(name).flatMap(keysOf);
  if (text !== undefined && keys.includes(text)) return text;
  throw new UsageError(`unknown key ${text ?? '(none)'} of ${name}, there are: ${keys.join(', ')}`);
}

async function checkSecrets(store: SecretStore): Promise<number> {
  const faults = await findFaults(store);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length === 0) say('all generated secrets are current in AWS');
  return faults.length === 0 ? 0 : 1;
}

async function checkGateway(site: Site, store: SecretStore): Promise<number> {
  const up = await isGatewayUp(site, store);
  if (up) say(`${site.router.name} runs with the key that is in AWS`);
  else process.stderr.write(`${site.router.name} does not run with the key that is in AWS\n`);
  return up ? 0 : 1;
}

async function readCurrent(store: SecretStore, name: SecretName): Promise<Values> {
  const { current } = await store.versions(name);
  return current === undefined ? {} : store.read(name, current);
}

/** A key that a later step of the same phase makes is not missing yet. */
async function fetchSecrets(store: SecretStore, names: readonly SecretName[]): Promise<number> {
  let missing = 0;
  for (const name of names) {
    const values = await readCurrent(store, name);
    for (const part of partsOf(name).filter(each => each.kind !== 'produced')) {
      for (const key of keysOf(part).filter(each => values[each] === undefined)) {
        missing += 1;
        process.stderr.write(`${name}.${key} is not in AWS. Run: ${remedyFor(name, key)}\n`);
      }
    }
  }
  if (missing === 0) say(`readable: ${names.join(', ')}`);
  return missing === 0 ? 0 : 1;
}

async function list(store: SecretStore): Promise<number> {
  for (const name of SECRET_NAMES) {
    const values = await readCurrent(store, name);
    for (const key of partsOf(name).flatMap(keysOf)) {
      const label = `${name}.${key}`.padEnd(32);
      say(values[key] === undefined ? `missing  ${label} ${remedyFor(name, key)}` : `there    ${label}`);
    }
  }
  return 0;
}

async function put(store: SecretStore, name: SecretName, key: string): Promise<number> {
  const { staged } = await store.versions(name);
  if (staged !== undefined) throw new Error(`secret ${name} has a staged version: finish phase 0 first`);
  if (process.stdin.isTTY) process.stderr.write(`value of ${name}.${key}, then Ctrl-D twice: `);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const value = Buffer.concat(chunks).toString().replace(/\n$/, '');
  if (value === '') throw new Error('nothing on stdin: nothing was stored');
  await store.replace(name, { ...(await readCurrent(store, name)), [key]: value });
  say(`${name}.${key}: stored and read back`);
  return 0;
}

async function show(store: SecretStore, name: SecretName, key: string): Promise<number> {
  if (!process.stdout.isTTY) throw new Error('a value is shown on a terminal only; programs get it through exec');
  say(await readOne(store, name, key));
  return 0;
}

async function readOne(store: SecretStore, name: SecretName, key: string): Promise<string> {
  const value = (await readCurrent(store, name))[key];
  if (value === undefined) throw new Error(`${name}.${key} is not in AWS. Run: ${remedyFor(name, key)}`);
  return value;
}

async function exec(store: SecretStore, args: readonly string[]): Promise<number> {
  const end = args.indexOf('--');
  if (end === -1) throw new UsageError('exec: expected -- before the command');
  const { values } = parseArgs({
    args: args.slice(0, end),
    options: {
      env: { type: 'string', multiple: true, default: [] },
      file: { type: 'string', multiple: true, default: [] },
      agent: { type: 'boolean', default: false },
    },
  });
  const variables = await readAssignments(store, values.env);
  const files = await readAssignments(store, values.file);
  const command = args.slice(end + 1);
  if (!values.agent) return runWithSecrets(command, { variables, files });
  return withAgent(await readOne(store, 'ssh', 'private_key'), socket =>
    runWithSecrets(command, { variables: { ...variables, SSH_AUTH_SOCK: socket }, files }),
  );
}

async function readAssignments(store: SecretStore, texts: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const text of texts) {
    const [, variable = '', name, key] = /^([A-Za-z_]\w*)=(\w+)\.(\w+)$/.exec(text) ?? [];
    if (variable === '') throw new UsageError(`exec: expected VARIABLE=NAME.KEY, got ${text}`);
    found[variable] = await readOne(store, parseName(name), parseKey(parseName(name), key));
  }
  return found;
}

async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(name === '' ? 'no command' : `unknown command ${name}`);
  const site = readSite();
  return command(site, new SecretStore(site), args);
}

try {
  process.exitCode = await main();
} catch (error) {
  // The message alone: an error of the SDK carries the request, and that carries values.
  process.stderr.write(`secret-zero: ${error instanceof Error ? error.message : 'failed'}\n`);
  if (error instanceof UsageError) process.stderr.write(USAGE);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
