/** Function servers as processes of their own, the way `crossplane composition render` meets them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const START_TIMEOUT_MS = 30_000;

export interface FunctionProcess {
  readonly port: number;
  /** Everything said on stderr so far, for the message of a failing test. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** The built server, as `make serve` runs it. */
export async function startFunction(): Promise<FunctionProcess> {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  if (!existsSync(main)) throw new Error('there is no dist/main.js: run `npm run build`, or `make conformance`');
  return await start([main, '--insecure', '--address', '127.0.0.1:0']);
}

/** A function for the step before ours: fixtures/earlier-step.ts. */
export async function startEarlierStep(): Promise<FunctionProcess> {
  return await start(['--import', 'tsx', fileURLToPath(new URL('fixtures/earlier-step.ts', import.meta.url))]);
}

/** Runs node; resolves once a log line `{"msg": "listening", "address": "HOST:PORT"}` is there. */
async function start(args: readonly string[]): Promise<FunctionProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8');
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`node ${args.join(' ')} did not listen within ${START_TIMEOUT_MS / 1000} s:\n${log}`));
    }, START_TIMEOUT_MS);
    child.stderr.on('data', (chunk: string) => {
      log += chunk;
      const found = findPort(log);
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('error', reject);
    child.once('exit', code => {
      clearTimeout(timer);
      reject(new Error(`node ${args.join(' ')} ended with code ${String(code)} before it listened:\n${log}`));
    });
  });
  return { port, log: () => log, stop: () => stop(child) };
}

function findPort(log: string): number | undefined {
  const line = log.split('\n').find(candidate => /"msg":\s*"listening"/.test(candidate));
  const port = line === undefined ? null : /"address":\s*"[^"]*:(\d+)"/.exec(line);
  return port === null ? undefined : Number(port[1]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}
