/**
 * The commands that provider-opentofu runs in the directory of one Workspace, with its arguments, and the errors that
 * it makes of them (internal/opentofu/opentofu.go there).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

export interface Run {
  /** -1 where a signal ended it. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Output {
  readonly name: string;
  readonly sensitive: boolean;
  readonly value: unknown;
}

/** A run that ended with an error, as the provider reports it: the first line of it, and then all of it, packed. */
export class TofuError extends Error {
  override readonly name = 'TofuError';
  /** All that tofu wrote to stderr. */
  readonly stderr: string;

  constructor(stderr: string, message = classify(stderr)) {
    super(message);
    this.stderr = stderr;
  }

  /** The same error, and in which step it came up. */
  during(doing: string): TofuError {
    return new TofuError(this.stderr, `${doing}: ${this.message}`);
  }
}

function classify(stderr: string): string {
  const summary = /Error: (.+)\n/.exec(stderr)?.[1] ?? '';
  const full = gzipSync(stderr).toString('base64');
  return (
    `OpenTofu encountered an error. Summary: ${summary}. ` +
    `To see the full error run: echo "${full}" | base64 -d | gunzip`
  );
}

const CHECKSUM =
  '/usr/bin/find . -path ./.git -prune -o -path ./.opentofu/providers -prune -o -type f -exec /usr/bin/md5sum {} + | ' +
  "LC_ALL=C /usr/bin/sort | /usr/bin/md5sum | /usr/bin/awk '{print $1}'";

/** @throws Error as the provider words it */
function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const reason: unknown = signal.reason;
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  const cause = late ? 'context deadline exceeded' : 'context canceled';
  throw new Error(`shutdown while running tofu command: ${cause}`, { cause: reason });
}

export interface OpenTofuOptions {
  readonly binary: string;
  readonly folder: string;
  /** All of it: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its abort ends a running command by SIGTERM, on which tofu finishes what it began and writes the state. */
  readonly signal?: AbortSignal;
}

export class OpenTofu {
  readonly folder: string;
  readonly #options: OpenTofuOptions;

  constructor(options: OpenTofuOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** @throws TofuError, as all that follow */
  async init(args: readonly string[] = []): Promise<void> {
    await this.#succeed('init', '-input=false', '-no-color', ...args);
  }

  /** Any failure of the selection counts as "there is none": a store that can't be reached shows with the creation. */
  async workspace(name: string): Promise<void> {
    const selected = await this.run('workspace', 'select', '-no-color', name);
    if (selected.status !== 0) await this.#succeed('workspace', 'new', '-no-color', name);
  }

  async deleteCurrentWorkspace(): Promise<void> {
    const { stdout } = await this.#succeed('workspace', 'show', '-no-color');
    const name = stdout.replace(/\n$/, '');
    if (name === 'default') return;
    await this.workspace('default');
    await this.#succeed('workspace', 'delete', '-no-color', name);
  }

  /** True where the plan has changes. */
  async plan(args: readonly string[] = []): Promise<{ readonly differs: boolean; readonly text: string }> {
    const run = await this.run('plan', '-no-color', '-input=false', '-detailed-exitcode', '-lock=false', ...args);
    if (run.status !== 0 && run.status !== 2) throw new TofuError(run.stderr);
    return { differs: run.status === 2, text: run.stdout };
  }

  async apply(args: readonly string[] = []): Promise<string> {
    return (await this.#succeed('apply', '-no-color', '-auto-approve', '-input=false', ...args)).stdout;
  }

  async destroy(args: readonly string[] = []): Promise<string> {
    return (await this.#succeed('destroy', '-no-color', '-auto-approve', '-input=false', ...args)).stdout;
  }

  async resources(): Promise<string[]> {
    return (await this.#succeed('state', 'list')).stdout.split('\n').slice(0, -1);
  }

  /** Sorted by name. */
  async outputs(): Promise<Output[]> {
    const { stdout } = await this.#succeed('output', '-json');
    const outputs = JSON.parse(stdout) as Record<string, { readonly sensitive: boolean; readonly value: unknown }>;
    return Object.entries(outputs)
      .map(([name, { sensitive, value }]) => ({ name, sensitive, value }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Over all files but the providers'; the provider's own command, which leaves out a folder of another name. */
  async checksum(): Promise<string> {
    const { stdout, stderr, status } = await this.#spawn('/bin/sh', ['-c', CHECKSUM]);
    if (status !== 0) throw new TofuError(stderr);
    return stdout.replaceAll('\n', '');
  }

  /** One tofu command in this directory. @throws Error where the signal ended it */
  run(...args: readonly string[]): Promise<Run> {
    return this.#spawn(this.#options.binary, args);
  }

  async #spawn(program: string, args: readonly string[]): Promise<Run> {
    const { folder, environment, signal } = this.#options;
    refuseAborted(signal);
    const child = spawn(program, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const terminate = (): void => void child.kill('SIGTERM');
    signal?.addEventListener('abort', terminate);
    try {
      const [stdout, stderr, closed] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      // Not before it has ended: two commands must never run in one directory.
      refuseAborted(signal);
      return { status: closed[0] ?? -1, stdout, stderr };
    } finally {
      signal?.removeEventListener('abort', terminate);
    }
  }

  async #succeed(...args: readonly string[]): Promise<Run> {
    const run = await this.run(...args);
    if (run.status !== 0) throw new TofuError(run.stderr);
    return run;
  }
}
