/**
 * The directory that provider-opentofu makes for one Workspace, and the commands that it runs there, in its order and
 * with its arguments (internal/controller/namespaced/workspace/workspace.go and internal/opentofu/opentofu.go there).
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a Workspace and its ProviderConfig tell the provider. */
export interface Order {
  readonly module: string;
  readonly configuration: string;
  /** external-name */
  readonly workspace: string;
  /** Resolved from the Secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly applyArgs: readonly string[];
  readonly destroyArgs: readonly string[];
}

/** A run that ended with an error, as the provider reports it. */
export class TofuError extends Error {
  override readonly name = 'TofuError';
  /** All that tofu wrote to stderr. */
  readonly stderr: string;

  constructor(doing: string, { stderr }: Run) {
    const summary = /Error: (.+)\n/.exec(stderr)?.[1] ?? '';
    const full = gzipSync(stderr).toString('base64');
    super(
      `${doing}: OpenTofu encountered an error. Summary: ${summary}. ` +
        `To see the full error run: echo "${full}" | base64 -d | gunzip`,
    );
    this.stderr = stderr;
  }
}

export interface Outputs {
  readonly [name: string]: { readonly sensitive: boolean; readonly value: unknown };
}

export class RunDirectory {
  readonly folder: string;
  readonly #tofu: string;
  readonly #environment: Readonly<Record<string, string>>;
  #initialised: string | undefined;

  constructor(folder: string, tofu: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#tofu = tofu;
    this.#environment = environment;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Connect: files, init, workspace. The provider runs both commands again whenever a file changed; here they run
   * again where a change could matter to them, which saves half of all time. @throws TofuError
   */
  async connect(order: Order): Promise<void> {
    writeFileSync(join(this.folder, 'main.tf'), order.module, { mode: 0o600 });
    writeFileSync(join(this.folder, 'crossplane-provider-config.tf'), order.configuration, { mode: 0o600 });
    const requirements = /^terraform \{\n.*?^\}/ms.exec(order.module)?.[0] ?? '';
    const wanted = JSON.stringify([requirements, order.configuration, order.workspace]);
    if (this.#initialised === wanted) return;
    const init = await this.run(order, 'init', '-input=false', '-no-color');
    if (init.status !== 0) throw new TofuError('connect failed: cannot initialize tofu configuration', init);
    const selected = await this.run(order, 'workspace', 'select', '-no-color', order.workspace);
    if (selected.status !== 0) {
      const created = await this.run(order, 'workspace', 'new', '-no-color', order.workspace);
      if (created.status !== 0) throw new TofuError('connect failed: cannot select tofu workspace', created);
    }
    this.#initialised = wanted;
  }

  /** Observe: true where the plan has changes. @throws TofuError */
  async plan(order: Order): Promise<{ readonly differs: boolean; readonly text: string }> {
    const run = await this.run(order, 'plan', '-no-color', '-input=false', '-detailed-exitcode', '-lock=false');
    if (run.status !== 0 && run.status !== 2)
      throw new TofuError('observe failed: cannot diff (i.e. plan) tofu configuration', run);
    return { differs: run.status === 2, text: run.stdout };
  }

  async apply(order: Order): Promise<string> {
    const run = await this.run(order, 'apply', '-no-color', '-auto-approve', '-input=false', ...order.applyArgs);
    if (run.status !== 0) throw new TofuError('update failed: cannot apply tofu configuration', run);
    return run.stdout;
  }

  async destroy(order: Order): Promise<string> {
    const run = await this.run(order, 'destroy', '-no-color', '-auto-approve', '-input=false', ...order.destroyArgs);
    if (run.status !== 0) throw new TofuError('delete failed: cannot destroy tofu configuration', run);
    return run.stdout;
  }

  async resources(order: Order): Promise<string[]> {
    const run = await this.run(order, 'state', 'list');
    if (run.status !== 0) throw new TofuError('observe failed: cannot list tofu resources', run);
    return run.stdout.split('\n').slice(0, -1);
  }

  async outputs(order: Order): Promise<Outputs> {
    const run = await this.run(order, 'output', '-json');
    if (run.status !== 0) throw new TofuError('observe failed: cannot list tofu outputs', run);
    return JSON.parse(run.stdout) as Outputs;
  }

  /** One tofu command in this directory. */
  run({ environment }: Pick<Order, 'environment'>, ...args: readonly string[]): Promise<Run> {
    const options = {
      cwd: this.folder,
      encoding: 'utf8' as const,
      env: { ...this.#environment, ...environment },
      maxBuffer: 64 * 2 ** 20,
    };
    return new Promise((resolve, reject) => {
      execFile(this.#tofu, args, options, (error, stdout, stderr) => {
        const status = error === null ? 0 : error.code;
        if (typeof status === 'number') resolve({ status, stdout, stderr });
        else reject(new Error(`cannot run tofu ${args.join(' ')}`, { cause: error }));
      });
    });
  }
}
