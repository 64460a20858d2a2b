/**
 * infra/k8s as Flux sees it: the files that .sourceignore leaves of the repository, the Secrets decrypted, and each
 * Flux Kustomization built by the real kustomize with its default load restrictions.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { isRecord } from '../../../src/kube.ts';

const ROOT = join(import.meta.dirname, '../../..');
const THROW_AWAY_KEY = join(ROOT, 'infra/throw-away.agekey');
export const CLUSTERS = ['talos', 'edge'] as const;

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** A Flux Kustomization of infra/k8s/clusters/CLUSTER. */
export interface EntryPoint {
  readonly cluster: string;
  readonly name: string;
  readonly path: string;
  readonly dependsOn: readonly string[];
  readonly source: string;
  readonly decrypts: boolean;
}

interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], input?: string): Output {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    input,
    env: { ...process.env, SOPS_AGE_KEY_FILE: THROW_AWAY_KEY },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

function output(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = run(command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const tool = (name: string): string => output('tools/path.sh', [name]).trim();

export class Artifact {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Of the working tree: files that are not committed yet count, those that git ignores do not. */
  static pack(): Artifact {
    const list = (...args: string[]): string[] =>
      output('git', ['ls-files', ...args])
        .split('\n')
        .slice(0, -1);
    const ignored = new Set(list('-c', '-o', '-i', '--exclude-from=.sourceignore'));
    const kept = list('-c', '-o', '--exclude-standard').filter(file => !ignored.has(file));
    const folder = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-artifact-'));
    for (const file of kept) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    return new Artifact(folder);
  }

  files(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.folder.length + 1))
      .sort();
  }

  /** Where a key of one's own has replaced the published one, and is not here, Secrets keep their encrypted values. */
  decrypt(): void {
    const published = /public key: (age1\w+)/.exec(readFileSync(THROW_AWAY_KEY, 'utf8'))?.[1] ?? '';
    const sops = output('tools/sops.sh', []).trim();
    for (const file of this.files().filter(name => name.endsWith('.sops.yaml'))) {
      const path = join(this.folder, file);
      const text = readFileSync(path, 'utf8');
      const { sops: metadata, ...encrypted } = parse(text) as Record<string, unknown>;
      if (metadata === undefined) throw new Error(`${file} is not encrypted`);
      writeFileSync(path, text.includes(published) ? output(sops, ['decrypt', path]) : stringify(encrypted));
    }
  }

  /** A copy in which a fault may be planted. */
  copy(): Artifact {
    const folder = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-artifact-'));
    cpSync(this.folder, folder, { recursive: true });
    return new Artifact(folder);
  }

  edit(file: string, from: string | RegExp, to: string): void {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    if (text.replace(from, to) === text) throw new Error(`nothing to break in ${file}`);
    writeFileSync(path, text.replace(from, to));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  entryPoints(cluster: string): EntryPoint[] {
    const folder = join('infra/k8s/clusters', cluster);
    return readdirSync(join(this.folder, folder)).map(name => {
      const { metadata, spec } = parse(this.read(join(folder, name))) as {
        metadata: { name: string };
        spec: {
          path: string;
          dependsOn?: { name: string }[];
          decryption?: { secretRef: { name: string } };
          sourceRef: { kind: string; name: string };
        };
      };
      return {
        cluster,
        name: metadata.name,
        path: spec.path.replace(/^\.\//, ''),
        dependsOn: (spec.dependsOn ?? []).map(dependency => dependency.name),
        source: `${spec.sourceRef.kind}/${spec.sourceRef.name}`,
        decrypts: spec.decryption?.secretRef.name === 'sops-age',
      };
    });
  }

  /** `kustomize build`, as text. @throws Error with what kustomize says */
  build(path: string): string {
    return output(tool('kustomize'), ['build', join(this.folder, path)]);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function readObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map(document => document.toJS() as unknown)
    .filter((value): value is KubernetesObject => isRecord(value));
}

/** Schemas of every kind, made once. */
export function writeSchemas(): string {
  const folder = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-schemas-'));
  output(process.execPath, ['--import', 'tsx', 'scripts/manifest-schemas.ts', folder]);
  return folder;
}

/** What kubeconform finds wrong; nothing is skipped, and a kind without a schema is a fault. */
export function judge(text: string, schemas: string): string[] {
  const { stdout, stderr } = run(
    tool('kubeconform'),
    [
      ...['-strict', '-output', 'json', '-verbose'],
      ...['-schema-location', join(schemas, '{{.Group}}-{{.ResourceKind}}-{{.ResourceAPIVersion}}.json')],
      ...['-schema-location', join(schemas, '{{.ResourceKind}}-{{.ResourceAPIVersion}}.json')],
      '-',
    ],
    text,
  );
  if (stderr !== '') throw new Error(stderr);
  const { resources } = JSON.parse(stdout) as {
    resources: { kind: string; name: string; status: string; msg: string }[];
  };
  if (resources.length !== readObjects(text).length) throw new Error('kubeconform did not see every object');
  return resources
    .filter(({ status }) => status !== 'statusValid')
    .map(({ kind, name, msg, status }) => `${kind} ${name}: ${msg || status}`);
}

/** Text that Flux, or somebody, would still have to fill in. */
export function findPlaceholders(text: string): string[] {
  return text.split('\n').filter(line => line.includes('${'));
}
