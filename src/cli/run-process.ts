import { spawn } from 'node:child_process';
import type { Ended } from '../drift/row.ts';

export interface Job {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export type Run = Ended | { readonly missing: string } | { readonly late: true };

const KILL_AFTER_MS = 10_000;
/** The end of a plan and of a recap says what they found. */
const KEPT = 32 * 1024 * 1024;

const running = new Set<number>();

/** Without a terminal and in a process group of its own, so that nothing it started outlives it or asks a question. */
export function runProcess({ program, args, cwd, env, timeoutMs }: Job): Promise<Run> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    if (pid !== undefined) running.add(pid);
    const text = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text[stream] = (text[stream] + chunk).slice(-KEPT)));
    let late = false;
    const timers = [
      setTimeout(() => {
        late = true;
        signalGroup(pid, 'SIGTERM');
      }, timeoutMs),
      setTimeout(() => {
        signalGroup(pid, 'SIGKILL');
      }, timeoutMs + KILL_AFTER_MS),
    ];
    const end = (run: Run): void => {
      timers.forEach(clearTimeout);
      if (pid !== undefined) running.delete(pid);
      resolve(run);
    };
    child.on('error', error => {
      end({ missing: (error as NodeJS.ErrnoException).code === 'ENOENT' ? program : error.message });
    });
    child.on('close', code => {
      end(late ? { late: true } : { code, ...text });
    });
  });
}

/** For an interrupted command: what it started must not go on without it. */
export function endAll(): void {
  for (const pid of running) signalGroup(pid, 'SIGTERM');
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
