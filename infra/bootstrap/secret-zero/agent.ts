/** An SSH agent that lives as long as one piece of work: the private key is in its memory and nowhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export async function withAgent<T>(privateKey: string, work: (socket: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bootstrap-agent-'));
  const socket = join(folder, 'agent');
  // As a child that sees its stdin close it would live on; -D keeps it in the foreground, so that we can end it.
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  const failed = once(agent, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  try {
    await Promise.race([waitFor(socket), failed]);
    await addKey(socket, privateKey);
    return await work(socket);
  } finally {
    agent.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function waitFor(socket: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (existsSync(socket)) return;
    await sleep(25);
  }
  throw new Error('ssh-agent did not start');
}

async function addKey(socket: string, privateKey: string): Promise<void> {
  const child = spawn('ssh-add', ['-q', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, SSH_AUTH_SOCK: socket },
  });
  child.stdin.end(privateKey);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`ssh-add ended with ${code}`);
}
