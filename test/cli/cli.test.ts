import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'tofuworkspace-cli-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'src/cli.ts'), ...args],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('render', () => {
  it('prints what is composed as YAML on stdout and nothing else', () => {
    const { status, stdout, stderr } = run('render', 'examples/backup-and-route');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const kinds = parseAllDocuments(stdout).map(document => (document.toJS() as { kind?: string }).kind ?? 'status');
    expect(kinds).toEqual(['status', 'ProviderConfig', 'Usage', 'Usage', 'Usage', 'Usage', 'Usage', 'Workspace']);
  });

  it('prints one HCL text alone', () => {
    expect(run('render', '--module', 'examples/no-dns').stdout).toMatch(/^# function-tofu-workspace layout 1/);
    expect(run('render', '--provider-config', 'examples/no-dns').stdout).toMatch(/^terraform \{\n {2}backend "s3" \{/);
  });

  it('takes files by name', () => {
    const { status, stdout } = run(
      ...['render', '--module', '--xr', 'examples/no-dns/xr.yaml', '--required', 'examples/no-dns/required.yaml'],
    );
    expect(status).toBe(0);
    expect(stdout).toContain('provider "netbird" {}');
  });

  it('says on stderr why it refuses, with exit code 1', () => {
    const { status, stdout, stderr } = run('render', 'examples/unreadable-schedule');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      'refused: cannot read Schedule paperless/nightly: spec.backend.s3.bucket: expected a non-empty string, got number 12345678\n',
    );
  });
});

describe('explain', () => {
  it('prints what led to what, and what was ignored and why', () => {
    const { status, stdout } = run('explain', 'examples/route-only');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^HTTPRoute web {2}shop\.int\.kueber\.eu +record A 100\.64\.0\.10 ttl 300$/m);
    expect(stdout).toMatch(/^HTTPRoute web {2}"shop\.kueber\.eu" +ignored: in none of the zones$/m);
    expect(stdout).toMatch(/^NamespaceLabelled +True +Labelled$/m);
  });
});

describe('the graph of explain', () => {
  it('is Mermaid on stdout', () => {
    const { status, stdout, stderr } = run('explain', '--mermaid', 'examples/route-only');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^flowchart LR\n/);
  });

  it('is a page in the file that is named, and stdout stays empty', () => {
    const file = join(scratch, 'out.html');
    const { status, stdout, stderr } = run('explain', 'examples/route-only', '--html', file);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: `written: ${file}\n` });
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
  });

  it('is not written where the case is refused', () => {
    const file = join(scratch, 'refused.html');
    expect(run('explain', 'examples/unreadable-schedule', '--html', file).status).toBe(1);
    expect(existsSync(file)).toBe(false);
  });
});

describe('wrong usage', () => {
  const broken = join(scratch, 'broken.yaml');
  writeFileSync(broken, 'a: [1\n');
  const cases: { name: string; args: string[]; says: string }[] = [
    { name: 'no command', args: [], says: 'name a command' },
    { name: 'unknown command', args: ['rendre'], says: 'unknown command "rendre"' },
    { name: 'unknown flag', args: ['render', '--frobnicate'], says: '--frobnicate' },
    { name: 'no case', args: ['render'], says: 'name a case folder or give --xr FILE' },
    { name: 'missing file', args: ['render', '--xr', 'none.yaml'], says: 'cannot read none.yaml' },
    { name: 'no YAML', args: ['render', '--xr', broken], says: `${broken}: ` },
    {
      name: 'two outputs',
      args: ['render', '--module', '--provider-config', 'examples/ready'],
      says: 'give one of them',
    },
    { name: 'two graphs', args: ['explain', '--mermaid', '--html', 'x', 'examples/ready'], says: 'give one of them' },
    { name: 'no such folder', args: ['explain', '--html', 'none/x', 'examples/ready'], says: 'cannot write none/x' },
  ];
  it.each(cases)('$name: exit code 2, a line that says what is wrong', ({ args, says }) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('    at ');
  });

  it('--help is data', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('Exit codes: 0 decided');
  });

  it.each(['render', 'explain'])('%s --help is its own usage', command => {
    const { status, stdout } = run(command, '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: tofuworkspace ${command} \\[CASE_FOLDER\\] `));
  });

  it('finds a command behind flags', () => {
    expect(run('--module', 'render', 'examples/no-dns').stdout).toMatch(/^# function-tofu-workspace layout 1/);
  });
});
