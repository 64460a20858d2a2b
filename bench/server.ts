/** A server as a process of its own, and what it uses, as Linux tells it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Server {
  readonly address: string;
  readonly coldStartMs: number;
  cpuMs(): number;
  residentMiB(): number;
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** @param command says `{"msg": "listening", "address": "HOST:PORT"}` on stderr, or listens on `address` */
export async function startServer(command: readonly string[]): Promise<Server> {
  const [program = '', ...args] = command;
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await hearAddress(child);
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
