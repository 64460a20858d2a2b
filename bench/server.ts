/** A server as a process of its own, and what it uses, as Linux tells it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { findFreePort } from '../test/fixtures/free-port.ts';

export interface Server {
  readonly address: string;
  readonly coldStartMs: number;
  cpuMs(): number;
  residentMiB(): number;
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Stands in a command for a free port, where the server does not choose one and say so. */
export const PORT = '{port}';

/** @param command says `{"msg": "listening", "address": "HOST:PORT"}` on stderr, or listens on {@link PORT} */
export async function startServer(command: readonly string[]): Promise<Server> {
  const port = command.some(word => word.includes(PORT)) ? await findFreePort() : undefined;
  const [program = '', ...args] = command.map(word => word.replace(PORT, String(port)));
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  // Also where the run fails.
  process.once('exit', () => child.kill('SIGKILL'));
  const address = port === undefined ? await hearAddress(child) : await tryAddress(child, port);
  const coldStartMs = performance.now() - start;
  const read = (file: string): string => readFileSync(`/proc/${String(child.pid)}/${file}`, 'utf8');
  return {
    address,
    coldStartMs,
    cpuMs: () => {
      const fields = read('stat')
        .replace(/^.*\) /, '')
        .split(' ');
      return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
    },
    residentMiB: () => Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]) / 1024,
    stop: () =>
      new Promise(resolve => {
        child.on('close', () => {
          resolve();
        });
        child.kill('SIGTERM');
      }),
  };
}

async function tryAddress(child: ChildProcess, port: number): Promise<string> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (log.length < 4096) log += chunk.toString();
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended: ${log}`);
    const socket = connect(port, '127.0.0.1');
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return `127.0.0.1:${port}`;
    await setTimeout(10);
  }
}

function hearAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = '';
    const hear = (chunk: Buffer): void => {
      log += chunk.toString();
      const found = /"address":\s*"([^"]+)"/.exec(log)?.[1];
      if (found === undefined) return;
      child.stderr?.off('data', hear).resume();
      resolve(found);
    };
    child.stderr?.on('data', hear);
    child.on('exit', code => {
      reject(new Error(`${child.spawnargs.join(' ')} ended with code ${String(code)}: ${log}`));
    });
  });
}
