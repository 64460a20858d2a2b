/** infra/own-secrets.sh, as infra/talos/README.md says it, on a copy of the tree: everything is encrypted to another key, and nothing published is left. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sops, THROW_AWAY_KEY, usesThrowAwayKey } from './cluster-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const tree = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-own-'));
const key = join(tree, 'own.agekey');
afterAll(() => {
  rmSync(tree, { recursive: true });
});

const run = (): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(join(tree, 'infra/own-secrets.sh'), [], {
    encoding: 'utf8',
    env: { ...process.env, SOPS_AGE_KEY_FILE: key },
  });
const read = (file: string): string => readFileSync(join(tree, file), 'utf8');
const encrypted = (): string[] =>
  readdirSync(join(ROOT, 'infra'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.sops.yaml'))
    .map(file => join('infra', file))
    .sort();

describe.runIf(usesThrowAwayKey())('infra/own-secrets.sh', () => {
  it('makes a key and encrypts everything anew', () => {
    for (const path of ['.sops.yaml', 'infra/throw-away.agekey', 'infra/own-secrets.sh', ...encrypted()])
      cpSync(join(ROOT, path), join(tree, path), { recursive: true });
    symlinkSync(join(ROOT, 'tools'), join(tree, 'tools'));

    const { status, stdout, stderr } = run();
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('sops-age');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const published = /public key: (age1\w+)/.exec(readFileSync(THROW_AWAY_KEY, 'utf8'))?.[1] ?? '';
    const files = encrypted();
    expect(files.length).toBeGreaterThan(7);
    for (const file of ['.sops.yaml', ...files]) expect(read(file), file).not.toContain(published);
    for (const file of files) {
      expect(() => sops(['decrypt', join(tree, file)], THROW_AWAY_KEY), file).toThrow(/data key/);
      const plain = parse(sops(['decrypt', join(tree, file)], key)) as object;
      expect(plain).toHaveProperty(
        file.includes('/talos/') && file.includes('talsecret') ? 'certs.k8s.key' : 'stringData',
      );
    }
  });

  it('makes secrets that nobody has read: bundles and the passphrase of the states', () => {
    for (const file of encrypted().filter(name => /talsecret|tofu-encryption/.test(name))) {
      const before: unknown = parse(sops(['decrypt', join(ROOT, file)], THROW_AWAY_KEY));
      const after: unknown = parse(sops(['decrypt', join(tree, file)], key));
      const values = (value: unknown): string[] =>
        typeof value === 'object' && value !== null ? Object.values(value).flatMap(values) : [String(value)];
      const shared = values(after).filter(value => value.length > 30 && values(before).includes(value));
      expect(shared, file).toEqual([]);
    }
  });

  it('changes nothing a second time', () => {
    const before = read('infra/talos/talos/talsecret.sops.yaml');
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was changed') as unknown });
    expect(read('infra/talos/talos/talsecret.sops.yaml')).toBe(before);
  });
});
