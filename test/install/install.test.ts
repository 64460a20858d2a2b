/** What a user applies: static checks on install/, the two packages' metadata, and the version in all of them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const FILES = [
  ...readdirSync(join(ROOT, 'install')).map(name => `install/${name}`),
  ...['crossplane.yaml', 'package/crossplane.yaml', 'examples/functions.yaml'],
  ...['apis/tofuworkspace/definition.yaml', 'apis/tofuworkspace/composition.yaml'],
];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface ClusterRole {
  metadata: { labels: Record<string, unknown> };
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

describe('what is shipped as YAML', () => {
  it.each(FILES)('%s has no dollar-brace, which Flux would replace', path => {
    expect(read(path)).not.toContain('${');
  });

  it('the ClusterRole is taken in by Crossplane and grants what is read and composed, and no more', () => {
    const { metadata, rules } = parse(read('install/rbac.yaml')) as ClusterRole;
    expect(metadata.labels['rbac.crossplane.io/aggregate-to-crossplane']).toBe('true');
    const granted = rules.map(({ apiGroups, resources, verbs }) => [apiGroups, resources, verbs].map(String).join(' '));
    expect(granted).toEqual([
      ' namespaces list,watch',
      'k8up.io schedules list,watch',
      'gateway.networking.k8s.io httproutes list,watch',
      'opentofu.m.upbound.io workspaces,providerconfigs get,list,watch,create,update,patch,delete',
      'opentofu.m.upbound.io providerconfigusages get,list,watch,update,patch,delete',
    ]);
  });

  it('the Function bears the name that the Composition calls, and the runtime configuration that is shipped', () => {
    const shipped = parse(read('install/function.yaml')) as {
      metadata: { name: string };
      spec: { runtimeConfigRef: { name: string } };
    };
    const composition = parse(read('apis/tofuworkspace/composition.yaml')) as {
      spec: { pipeline: { functionRef: { name: string } }[] };
    };
    const runtime = parse(read('install/runtime-config.yaml')) as { metadata: { name: string } };
    expect(composition.spec.pipeline.map(({ functionRef }) => functionRef.name)).toEqual([shipped.metadata.name]);
    expect(runtime.metadata.name).toBe(shipped.spec.runtimeConfigRef.name);
  });

  it('docs/install.md quotes the two objects as they are', () => {
    const code = (path: string): string =>
      read(path)
        .replace(/^#.*\n/gm, '')
        .trim();
    expect(read('docs/install.md')).toContain(
      `${code('install/function.yaml')}\n---\n${code('install/configuration.yaml')}`,
    );
  });
});

describe('version-set', () => {
  const tree = mkdtempSync(join(tmpdir(), 'version-'));
  afterAll(() => {
    rmSync(tree, { recursive: true });
  });
  const versionSet = (...args: string[]): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, ['--import', 'tsx', 'scripts/version-set.ts', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });

  it('finds one version in the whole tree', () => {
    expect(versionSet('--check')).toMatchObject({ status: 0, stderr: '' });
  });

  it('writes another one everywhere, and back again without a trace', () => {
    const copied = ['package.json', 'package-lock.json', 'README.md', 'docs', ...FILES];
    for (const path of copied) cpSync(join(ROOT, path), join(tree, path), { recursive: true });
    const { version } = JSON.parse(read('package.json')) as { version: string };

    expect(versionSet('--root', tree, '12.34.56-rc.1')).toMatchObject({ status: 0, stderr: '' });
    for (const path of ['package.json', 'install/function.yaml', 'crossplane.yaml', 'docs/install.md'])
      expect(readFileSync(join(tree, path), 'utf8')).toContain('12.34.56-rc.1');
    expect(readFileSync(join(tree, 'crossplane.yaml'), 'utf8')).toContain('version: ">=v12.34.56-rc.1"');

    expect(versionSet('--root', tree, version)).toMatchObject({ status: 0 });
    for (const path of FILES) expect(readFileSync(join(tree, path), 'utf8')).toBe(read(path));
  });

  it.each(['v1.2.3', '1.2', ''])('refuses %j', version => {
    expect(versionSet('--root', tree, version).status).toBe(2);
  });

  it('says where another version stands', () => {
    const path = join(tree, 'install/function.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/v\d+\.\d+\.\d+/, 'v9.9.9'));
    expect(versionSet('--root', tree, '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('install/function.yaml says 9.9.9, not') as unknown,
    });
  });
});
