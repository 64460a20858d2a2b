/** `tofuworkspace drift` on small environments with the real tofu, by itself and behind infra/tofu/tofu.sh. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTool, skipWithout } from './tools.ts';

const ROOT = join(import.meta.dirname, '../..');

const CONFIGURATION = `variable "password" {
  type      = string
  sensitive = true
  default   = "hunter2"
}

resource "terraform_data" "node" {
  for_each = toset(["a", "b"])
  input    = "\${each.key}-\${nonsensitive(var.password)}"
}
`;

describe.skipIf(skipWithout('opentofu'))('drift', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'drift-'));
  const bin = join(scratch, 'bin');
  const env = { ...process.env, PATH: [bin, process.env.PATH ?? ''].join(delimiter), CHECKPOINT_DISABLE: '1' };
  const folder = (name: string): string => join(scratch, 'infra/tofu/environment', name);

  beforeAll(() => {
    mkdirSync(bin);
    symlinkSync(findTool('opentofu'), join(bin, 'tofu'));
    for (const name of ['still', 'drifted', 'broken', 'wrapped', 'locked-out']) {
      mkdirSync(folder(name), { recursive: true });
      writeFileSync(join(folder(name), 'main.tf'), CONFIGURATION);
      for (const args of [
        ['init', '-input=false'],
        ['apply', '-auto-approve', '-input=false'],
      ])
        expect(spawnSync('tofu', args, { cwd: folder(name), env }).status).toBe(0);
    }
    replaceIn('drifted', '"a", "b"', '"a", "c"');
    replaceIn('broken', 'each.key}-', 'each.nothing}-');
    copyFileSync(join(ROOT, 'infra/tofu/tofu.sh'), join(scratch, 'infra/tofu/tofu.sh'));
    for (const name of ['wrapped', 'locked-out']) {
      copyFileSync(join(ROOT, 'infra/tofu/environment/edge/tofu.sh'), join(folder(name), 'tofu.sh'));
      chmodSync(join(folder(name), 'tofu.sh'), 0o755);
      writeFileSync(join(folder(name), 'backend.tf'), '');
      writeFileSync(join(folder(name), '.env.example'), 'TF_VAR_password=\n');
    }
    writeFileSync(join(folder('wrapped'), '.env'), 'TF_VAR_password=another-password\n', { mode: 0o600 });
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true });
  });

  function replaceIn(name: string, from: string, to: string): void {
    const path = join(folder(name), 'main.tf');
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  }

  it('tells no drift, drift, a failure and missing credentials apart, shows no value, and changes no state', () => {
    const states = (): string[] =>
      ['still', 'drifted', 'broken', 'wrapped', 'locked-out'].map(name =>
        readFileSync(join(folder(name), 'terraform.tfstate'), 'utf8'),
      );
    const before = states();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...['--import', 'tsx', join(ROOT, 'src/cli.ts'), 'drift'],
        ...['--infra', join(scratch, 'infra'), '--layer', 'tofu', '--json'],
      ],
      { cwd: ROOT, env, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(1);
    const { rows } = JSON.parse(stdout) as {
      readonly rows: readonly {
        readonly subject: string;
        readonly outcome: string;
        readonly detail: string;
        readonly addresses: readonly string[];
      }[];
    };
    const row = (subject: string) => rows.find(candidate => candidate.subject === subject);
    expect(row('still')).toMatchObject({ outcome: 'no drift', detail: 'no changes' });
    expect(row('drifted')).toMatchObject({ outcome: 'drift', detail: '1 to add, 1 to destroy' });
    expect([...(row('drifted')?.addresses ?? [])].sort()).toEqual([
      'terraform_data.node["b"] (delete)',
      'terraform_data.node["c"] (create)',
    ]);
    expect(row('broken')).toMatchObject({ outcome: 'failed', addresses: [] });
    expect(row('wrapped')).toMatchObject({ outcome: 'drift', detail: '2 to change' });
    expect(row('locked-out')).toMatchObject({ outcome: 'not checked', detail: 'no credentials: there is no .env' });
    expect(stdout + stderr).not.toMatch(/hunter2|another-password/);
    expect(states()).toEqual(before);
  });
});
