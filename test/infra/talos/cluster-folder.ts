/** A cluster folder of infra/talos as tests use it: a copy that may be broken, and what the real machinery makes of it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const TALOS = join(ROOT, 'infra/talos');
export const THROW_AWAY_KEY = join(ROOT, 'infra/throw-away.agekey');
export const CLUSTERS = ['talos', 'edge'] as const;

export type Document = Readonly<Record<string, unknown>>;

export interface Rendered {
  readonly status: number | null;
  readonly stderr: string;
  /** By host name: the documents of its machine configuration, secrets replaced. */
  readonly nodes: ReadonlyMap<string, readonly Document[]>;
}

function output(
  command: string,
  args: readonly string[],
  input?: string,
  env?: Readonly<Record<string, string>>,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

export function sops(args: readonly string[], keyFile: string): string {
  const binary = output(join(ROOT, 'tools/sops.sh'), []).trim();
  return output(binary, args, undefined, { SOPS_AGE_KEY_FILE: keyFile });
}

function taloscheck(): string {
  return output(join(ROOT, 'tools/path.sh'), ['taloscheck']).trim();
}

/** Whether the published key is the recipient still; infra/own-secrets.sh puts the user's in its place. */
export function usesThrowAwayKey(): boolean {
  const recipient = /public key: (age1\w+)/.exec(readFileSync(THROW_AWAY_KEY, 'utf8'))?.[1] ?? '';
  return readFileSync(join(ROOT, '.sops.yaml'), 'utf8').includes(recipient);
}

/** With a key of one's own, CI has none: then patches are checked with secrets made for the moment. */
export function readSecrets(cluster: string): string {
  return usesThrowAwayKey()
    ? sops(['decrypt', join(TALOS, cluster, 'talsecret.sops.yaml')], THROW_AWAY_KEY)
    : output(taloscheck(), ['-new-secrets']);
}

/**
 * Renders every node of a copy of infra/talos/CLUSTER.
 * @param change breaks the copy before that
 */
export function render(cluster: string, secrets: string, change: (folder: string) => void = () => undefined): Rendered {
  const scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-talos-'));
  try {
    // Symbolic links lead to shared/, so that is copied along; dereferenced, a fault stays in the copy.
    const folder = join(scratch, cluster);
    cpSync(join(TALOS, cluster), folder, { recursive: true, dereference: true });
    change(folder);
    const out = join(scratch, 'rendered');
    mkdirSync(out);
    const { status, stderr } = spawnSync(taloscheck(), ['-o', out, folder], { encoding: 'utf8', input: secrets });
    const nodes = readdirSync(out).map(name => [name.replace(/\.yaml$/, ''), readDocuments(join(out, name))] as const);
    return { status, stderr, nodes: new Map(nodes) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readDocuments(path: string): readonly Document[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map(document => document.toJS() as Document);
}

export function readTalosFile(...path: readonly string[]): string {
  return readFileSync(join(TALOS, ...path), 'utf8');
}
