/**
 * A copy of infra/tofu beside a real S3 server, run by the real OpenTofu through the real tofu.sh. The providers are
 * stand-ins that serve the true schemas (tools/schema-replay); what they are told they made is remembered. The one thing
 * that is changed in the copy is the address of the S3 server.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Store } from '../../conformance/tofu/store.ts';
import { findTool } from '../../conformance/tools.ts';

export const INFRA_TOFU = fileURLToPath(new URL('../../../infra/tofu', import.meta.url));
export const ENVIRONMENTS = readdirSync(join(INFRA_TOFU, 'environment')).sort();
const MIRROR_SCRIPT = fileURLToPath(new URL('mirror.sh', import.meta.url));

export const STATE_BUCKET = 'tofu-state-558a4a64';
const STATE_ENDPOINT = 'https://fsn1.your-objectstorage.com';

/** Values for .env, of no use anywhere. */
const VALUES: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: Store.ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY: Store.SECRET_ACCESS_KEY,
  TF_VAR_state_passphrase: 'a passphrase of tests',
  TF_VAR_admin_cidrs: '["203.0.113.4/32"]',
  TF_VAR_talos_iso: '122630',
  TF_VAR_ssh_public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHN0YW5kLWluLWtleS1vZi10ZXN0cy1vbmx5LW5v test',
};

export interface Run {
  readonly status: number;
  /** Both streams, in lines without colours, boxes and wrapping. */
  readonly output: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface ResourceChange {
  readonly address: string;
  readonly mode: 'managed' | 'data';
  readonly type: string;
  readonly change: { readonly actions: readonly string[]; readonly after: Values };
}

export interface Plan {
  readonly resource_changes: readonly ResourceChange[];
  readonly output_changes: Readonly<Record<string, { readonly after: unknown }>>;
}

export class Site {
  readonly store: Store;
  readonly folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(store: Store, folder: string, environment: Readonly<Record<string, string>>) {
    this.store = store;
    this.folder = folder;
    this.#environment = environment;
  }

  static async start(): Promise<Site> {
    const folder = mkdtempSync(join(tmpdir(), 'infra-tofu-'));
    const store = await Store.start(STATE_BUCKET, 'fsn1');
    mkdirSync(join(folder, 'bin'));
    symlinkSync(findTool('opentofu'), join(folder, 'bin/tofu'));
    const { status, output } = await execute(MIRROR_SCRIPT, [join(folder, 'mirror')], { env: process.env });
    if (status !== 0) throw new Error(output);
    copy(INFRA_TOFU, join(folder, 'tofu'), store.endpoint);
    writeFileSync(join(folder, 'world.json'), JSON.stringify({ objects: {}, failures: {}, calls: [] }));
    const site = new Site(store, folder, {
      PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
      HOME: folder,
      TF_CLI_CONFIG_FILE: join(folder, 'mirror/tofurc'),
      TF_PLUGIN_CACHE_DIR: '',
      SCHEMA_REPLAY_WORLD: join(folder, 'world.json'),
    });
    for (const environment of ENVIRONMENTS) site.writeEnv(environment);
    return site;
  }

  async stop(): Promise<void> {
    await this.store.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Where a file of an environment is, in the copy. */
  path(environment: string, file: string): string {
    return join(this.folder, 'tofu/environment', environment, file);
  }

  /** Fills in .env.example. */
  writeEnv(environment: string, values: Readonly<Record<string, string>> = {}): void {
    const text = readFileSync(this.path(environment, '.env.example'), 'utf8').replace(
      /^([A-Za-z_]+)=$/gm,
      (_, name: string) => `${name}=${values[name] ?? VALUES[name] ?? 'x'}`,
    );
    writeFileSync(this.path(environment, '.env'), text, { mode: 0o600 });
  }

  /** What only reads. */
  run(environment: string, ...args: readonly string[]): Promise<Run> {
    return execute(this.path(environment, 'tofu.sh'), args, { env: this.#environment });
  }

  /** What changes something: `answer` is typed when tofu.sh asks. */
  confirm(answer: string, environment: string, ...args: readonly string[]): Promise<Run> {
    const command = [this.path(environment, 'tofu.sh'), ...args].map(word => `'${word}'`).join(' ');
    // "script" (util-linux) runs a command at a terminal of its own, and types what it reads.
    return execute('script', ['-qec', command, '/dev/null'], { env: this.#environment, input: `${answer}\n` });
  }

  async init(environment: string): Promise<void> {
    must(await this.run(environment, 'init', '-input=false'));
  }

  async apply(environment: string): Promise<void> {
    must(await this.confirm(environment, environment, 'apply', '-auto-approve', '-input=false'));
  }

  /** The plan as JSON, and what it says about outputs. */
  async plan(environment: string, ...args: readonly string[]): Promise<Plan> {
    must(await this.run(environment, 'plan', '-input=false', '-out=test.tfplan', ...args));
    const { status, output } = await execute(join(this.folder, 'bin/tofu'), ['show', '-json', 'test.tfplan'], {
      env: { ...this.#environment, TF_VAR_state_passphrase: VALUES.TF_VAR_state_passphrase ?? '' },
      cwd: this.path(environment, ''),
      raw: true,
    });
    if (status !== 0) throw new Error(output);
    return JSON.parse(output) as Plan;
  }
}

/** Managed resources of a type that a plan creates: what they are told, by the key in their address. */
export function created(plan: Plan, type: string): Readonly<Record<string, Values>> {
  return Object.fromEntries(
    plan.resource_changes
      .filter(item => item.type === type && item.mode === 'managed' && item.change.actions.join() === 'create')
      .map(({ address, change }) => [/\["([^"]+)"\]/.exec(address)?.[1] ?? '', change.after]),
  );
}

/** The first block of a kind. */
export function block(values: Values, name: string): Values {
  return (values[name] as readonly Values[])[0] ?? {};
}

export function must({ status, output }: Run): string {
  if (status !== 0) throw new Error(output);
  return output;
}

function copy(from: string, to: string, endpoint: string): void {
  cpSync(from, to, { recursive: true, filter: path => !/\/(\.terraform|\.env|[^/]+\.tfstate[^/]*)$/.test(path) });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.tf')) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(STATE_ENDPOINT, endpoint));
  }
}

interface Options {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
  readonly raw?: boolean;
}

export function execute(program: string, args: readonly string[], options: Options): Promise<Run> {
  const { env, cwd = '/', input = '', raw = false } = options;
  return new Promise((resolve, reject) => {
    const settings = { env, cwd, encoding: 'utf8' as const, maxBuffer: 64 * 2 ** 20 };
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status !== 'number') {
        reject(new Error(`cannot run ${program} ${args.join(' ')}`, { cause: error }));
        return;
      }
      resolve({ status, output: raw ? stdout : plain(`${stdout}${stderr}`) });
    });
    child.stdin?.end(input);
  });
}

/** As a reader sees it: without colours, boxes, and breaks inside sentences. */
function plain(text: string): string {
  return text
    .replace(/\u001b\[[0-9;]*m/g, '')
    .replaceAll('\r', '')
    .replace(/^[│╷╵] ?/gm, '');
}
