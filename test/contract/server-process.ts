/** Starts the server as its own process, the way a container does, and hears what it says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';
  #heard: (() => void)[] = [];

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [...entryOfServer(), ...args], {
      env: { ...process.env, TLS_SERVER_CERTS_DIR: undefined, MAX_MESSAGE_BYTES: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
      this.#wake();
    });
    this.ended = new Promise(resolve => {
      this.child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
        this.#wake();
      });
    });
  }

  static async listening(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<[ServerProcess, string]> {
    const server = new ServerProcess(['--address', '127.0.0.1:0', ...args], env);
    const line = await server.line('listening');
    return [server, String(line.address)];
  }

  get stderr(): string {
    return this.#stderr;
  }

  get lines(): Record<string, unknown>[] {
    return this.#stderr
      .split('\n')
      .slice(0, -1)
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits for the first log line with this message; rejects when the process ends without it. */
  async line(message: string): Promise<Record<string, unknown>> {
    return await this.#find(`"${message}"`, line => line.msg === message);
  }

  /** Waits for the log line of a call with this outcome. */
  async call(outcome: string): Promise<Record<string, unknown>> {
    return await this.#find(`a call with outcome ${outcome}`, line => line.msg === 'call' && line.outcome === outcome);
  }

  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return await this.ended;
  }

  async #find(what: string, fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended without saying ${what}: ${this.#stderr}`);
      await new Promise<void>(resolve => this.#heard.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#heard.splice(0)) resolve();
  }
}

/**
 * The built server where it is newer than every source, as `make test` has it: it starts in a fraction of the time.
 * Else the sources, so that no stale build is tested. CONTRACT_ENTRY names another program to hold to the contract.
 */
export function entryOfServer(): string[] {
  const named = process.env.CONTRACT_ENTRY;
  if (named !== undefined) return named.endsWith('.ts') ? ['--import', 'tsx', named] : [named];
  const [source, built] = [inRepository('src/main.ts'), inRepository('dist/main.js')];
  return isBuilt(built) ? [built] : ['--import', 'tsx', source];
}

function isBuilt(built: string): boolean {
  if (!existsSync(built)) return false;
  const age = statSync(built).mtimeMs;
  return readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .every(name => statSync(inRepository(`src/${name}`)).mtimeMs <= age);
}

function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
