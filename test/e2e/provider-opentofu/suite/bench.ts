/** A running stand-in, the state store and the remote side that it works on, and modules for it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { findTool } from '../../../conformance/tools.ts';
import { writeMirror } from '../../../tofu/mirror.ts';
import { Store } from '../../../tofu/store.ts';
import { World } from '../../../tofu/world.ts';
import { Namespace, eventually } from './cluster.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export const SECRET = 'tofu-credentials';
export const CONFIG = 'demo';

export class Bench {
  readonly store: Store;
  readonly world: World;
  readonly work: string;
  readonly #folder: string;
  #provider: ChildProcess | undefined;
  #log = '';

  private constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.store = store;
    this.work = join(folder, 'work');
    mkdirSync(join(folder, 'remote'));
    mkdirSync(join(folder, 'locks'));
    this.world = new World(join(folder, 'remote', 'world.json'));
    writeMirror(join(folder, 'mirror'));
    // A command, and whatever it starts, holds the lock of its directory: a second one at the same time is told of.
    const script = `#!/bin/sh
exec 9>"${folder}/locks/$(basename "$PWD")"
flock --nonblock 9 || { echo "$PWD: $*" >>"${folder}/conflicts"; exit 99; }
exec "${findTool('opentofu-1.10')}" "$@"
`;
    writeFileSync(join(folder, 'tofu'), script, { mode: 0o755 });
  }

  static async open(): Promise<Bench> {
    return new Bench(mkdtempSync(join(tmpdir(), 'provider-opentofu-')), await Store.start());
  }

  async close(): Promise<void> {
    await this.stop();
    await Namespace.forgetWorkspaces();
    await this.store.stop();
    rmSync(this.#folder, { recursive: true });
  }

  start(...args: readonly string[]): void {
    const child = spawn(process.execPath, [...this.#command(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.#log += data.toString('utf8');
      });
    this.#provider = child;
  }

  /** Beside the one that runs, to its end. */
  async startAnother(): Promise<{ readonly status: number | null; readonly stderr: string }> {
    const child = spawn(process.execPath, this.#command(), { stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { status: child.exitCode, stderr };
  }

  #command(): string[] {
    return [
      ...['--import', 'tsx', MAIN, '--kubeconfig', inject('kubeconfig'), '--tofu', join(this.#folder, 'tofu')],
      ...['--mirror', join(this.#folder, 'mirror'), '--remote', join(this.#folder, 'remote'), '--work', this.work],
      ...['--poll', '2', '--backoff-base', '0.5', '--backoff-max', '3', '--log-level', 'debug'],
    ];
  }

  /** As Kubernetes ends a pod. @returns the exit code */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** As a node that loses its power does: nothing can be tidied up. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Commands that began while another one was at work in the same directory. */
  conflicts(): string {
    const file = join(this.#folder, 'conflicts');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  get log(): string {
    return this.#log;
  }

  /** Secrets and ProviderConfig of a namespace, for a state that nobody else has. */
  async furnish(namespace: Namespace): Promise<void> {
    await namespace.createSecret(SECRET, {
      AWS_ACCESS_KEY_ID: Store.ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: Store.SECRET_ACCESS_KEY,
      B2_APPLICATION_KEY_ID: 'test-b2-key-id',
      B2_APPLICATION_KEY: 'test-b2-key',
    });
    await this.createProviderConfig(namespace);
  }

  async createProviderConfig(namespace: Namespace): Promise<void> {
    const configuration = `terraform {
  backend "s3" {
    bucket                      = "${Store.BUCKET}"
    key                         = "terraform.tfstate"
    region                      = "us-east-1"
    workspace_key_prefix        = "${namespace.name}"
    endpoints                   = { s3 = "${this.store.endpoint}" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
  }
}
`;
    await namespace.create('ProviderConfig', CONFIG, { spec: { configuration } });
  }

  /** A file of the Workspace's run directory. */
  file(uid: string, name: string): string {
    return join(this.work, uid, name);
  }

  /** Whether a step of a module that waits for it has begun; see `slow`. */
  async begun(uid: string): Promise<void> {
    await eventually('the slow step has begun', () => (existsSync(this.file(uid, 'begun')) ? true : undefined));
  }

  read(uid: string, name: string): string {
    return readFileSync(this.file(uid, name), 'utf8');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#provider;
    this.#provider = undefined;
    if (child === undefined) return null;
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }
}

export function workspace(module: string, spec: Readonly<Record<string, unknown>> = {}): { readonly spec: unknown } {
  const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'B2_APPLICATION_KEY', 'B2_APPLICATION_KEY_ID'];
  return {
    spec: {
      providerConfigRef: { kind: 'ProviderConfig', name: CONFIG },
      writeConnectionSecretToRef: { name: 'demo-outputs' },
      forProvider: {
        source: 'Inline',
        module,
        env: keys.map(key => ({ name: key, secretKeyRef: { name: SECRET, key } })),
      },
      ...spec,
    },
  };
}

interface ModuleOptions {
  readonly protect?: boolean;
  /** Seconds that a step takes which leaves the file "begun" behind. */
  readonly slow?: number;
}

/** Buckets, and a key for each. */
export function bucketModule(names: readonly string[], { protect = false, slow }: ModuleOptions = {}): string {
  return `terraform {
  required_providers {
    b2 = {
      source  = "backblaze/b2"
      version = "0.13.0"
    }
  }
}

resource "b2_bucket" "backup" {
  for_each    = toset(${JSON.stringify(names)})
  bucket_name = each.key
  bucket_type = "allPrivate"

  lifecycle {
    prevent_destroy = ${protect}
  }
}

resource "b2_application_key" "backup" {
  for_each     = b2_bucket.backup
  key_name     = each.key
  capabilities = ["listBuckets"]
  bucket_id    = each.value.bucket_id
}

output "buckets" {
  value = { for name, bucket in b2_bucket.backup : name => bucket.bucket_id }
}

output "greeting" {
  value = "text, as it is"
}

output "application_keys" {
  value     = { for name, key in b2_application_key.backup : name => key.application_key }
  sensitive = true
}
${slow === undefined ? '' : slowStep(slow)}`;
}

function slowStep(seconds: number): string {
  return `
resource "terraform_data" "slow" {
  depends_on = [b2_bucket.backup]

  provisioner "local-exec" {
    command = "touch begun && sleep ${seconds}"
  }
}
`;
}
