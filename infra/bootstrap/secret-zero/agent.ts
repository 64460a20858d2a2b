/** An SSH agent that lives as long as one piece of work: the private key is in its memory and nowhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export async function withAgent<T>(privateKey: string, work: (socket: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bootstrap-agent-'));
  const socket = join(folder, 'agent');
  // It lives as long as cat does, which ends when our end of its stdin closes: also when we are killed.
  const agent = spawn('ssh-agent', ['-a', socket, 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const failed = once(agent, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  try {
    await Promise.race([waitFor(socket), failed]);
    await sshAdd(socket, ['-q', '-'], privateKey);
    return await work(socket);
  } finally {
    // The agent looks for cat every ten seconds only; the key goes now.
    if (existsSync(socket)) await sshAdd(socket, ['-q', '-D'], '').catch(() => undefined);
    agent.stdin.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The socket's file is there a moment before anybody listens. */
async function waitFor(socket: string): Promise<void> {
  for (let tries = 0; tries < 800; tries += 1) {
    if (await answers(socket)) return;
    await sleep(25);
  }
  throw new Error('ssh-agent did not start');
}

function answers(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = connect(socket);
    connection.on('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', () => {
      resolve(false);
    });
  });
}

async function sshAdd(socket: string, args: readonly string[], input: string): Promise<void> {
  const child = spawn('ssh-add', args, {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, SSH_AUTH_SOCK: socket },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`ssh-add ended with ${code}`);
}
