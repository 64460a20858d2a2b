/** doctor and drift as processes. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { doctor } from '../../src/cli/doctor.ts';
import { drift } from '../../src/cli/drift.ts';
import type { JsonDiagnosis } from '../../src/doctor/print.ts';
import { change, healthy } from '../fixtures/doctor-sources.ts';

// Processes of their own, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const ROOT = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'tofuworkspace-doctor-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

const CLI = ['--import', 'tsx', join(ROOT, 'src/cli.ts')];

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

/** A copy of infra/ to break. */
function copyInfra(name: string): string {
  const folder = join(scratch, name);
  cpSync(join(ROOT, 'infra'), folder, {
    recursive: true,
    filter: path => !/\/(\.terraform|bootstrap|node_modules)(\/|$)/.test(path),
  });
  return folder;
}

function replaceIn(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

const objects = join(scratch, 'objects.yaml');
writeFileSync(objects, stringify({ apiVersion: 'v1', kind: 'List', items: healthy }));

describe('doctor', () => {
  it('is silent about faults on the healthy tree, and says what it did not look at', () => {
    const { status, stdout } = run(['doctor', '--infra', 'infra']);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/^(BROKEN|WARNING)/m);
    expect(stdout).toMatch(/^FINE {10}address-drift {2}infra: 7 VMs and 7 nodes agree$/m);
    expect(stdout).toMatch(/^NOT LOOKED AT namespace-terminating {2}cluster: no cluster was named/m);
    expect(stdout).toMatch(/^NOT LOOKED AT out-of-band-change .*tofuworkspace drift --infra infra$/m);
  });

  it('names a fault of the tree with its line and fix, first, and ends with 1', () => {
    const infra = copyInfra('drifted');
    replaceIn(join(infra, 'talos/talos/topf.yaml'), '192.168.100.112\n', '192.168.100.12\n');
    const { status, stdout } = run([
      'doctor',
      '--infra',
      infra,
      '--composition',
      'apis/tofuworkspace/composition.yaml',
    ]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^BROKEN {8}address-drift {2}.*\/drifted\/talos\/talos\/topf\.yaml:\d+\n {14}talos-worker-02 has address/,
    );
    expect(stdout).toMatch(/^ {14}1\. Make topf\.yaml say what talos\.tf says/m);
  });

  it('reads objects from files; a kind that they do not hold was not looked at', () => {
    const { status, stdout } = run(['doctor', '--objects', objects, '--json']);
    expect(status).toBe(0);
    const { verdicts, ...sums } = JSON.parse(stdout) as JsonDiagnosis;
    expect(sums).toMatchObject({ version: 1, broken: 0, warnings: 0 });
    expect(verdicts.find(({ row }) => row === 'paused')).toMatchObject({ verdict: 'fine', side: 'cluster' });
    const few = join(scratch, 'few.yaml');
    writeFileSync(few, stringify(healthy.find(({ kind }) => kind === 'TofuWorkspace')));
    const { stdout: less } = run(['doctor', '--objects', few, '--json']);
    expect((JSON.parse(less) as JsonDiagnosis).verdicts.find(({ row }) => row === 'paused')).toMatchObject({
      verdict: 'not looked at',
      text: `Workspace: ${few} holds none`,
    });
  });

  it('watches: the whole first, then only what changed, until it is stopped', async () => {
    const watched = join(scratch, 'watched.yaml');
    writeFileSync(watched, stringify({ kind: 'List', items: healthy }));
    const child = spawn(process.execPath, [...CLI, 'doctor', '--objects', watched, '--json', '--watch', '1'], {
      cwd: ROOT,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const lines = async (count: number): Promise<readonly string[]> => {
      while (text.split('\n').length <= count) await new Promise(resolve => setTimeout(resolve, 50));
      return text.split('\n');
    };
    try {
      const [first = ''] = await lines(1);
      expect(JSON.parse(first)).toMatchObject({ version: 1, broken: 0 });
      const items = change(['Namespace', '', 'paperless'], object => ({ ...object, metadata: { name: 'paperless' } }));
      writeFileSync(watched, stringify({ kind: 'List', items }));
      const [, second = ''] = await lines(2);
      expect(JSON.parse(second)).toMatchObject({
        appeared: [
          { row: 'namespace-label-missing', verdict: 'broken', evidence: { kind: 'Namespace', name: 'paperless' } },
        ],
        gone: [{ row: 'namespace-label-missing', verdict: 'fine' }],
      });
    } finally {
      child.kill();
    }
  });

  it.each([
    ['nothing to look at', ['doctor'], 'nothing to look at'],
    ['no folder', ['doctor', '--infra', 'none'], '--infra none: expected a folder'],
    ['no kubeconfig', ['doctor', '--kubeconfig', 'none'], '--kubeconfig none: there is no such file'],
    ['two clusters', ['doctor', '--kubeconfig', 'a', '--objects', 'b'], 'give one of them'],
    ['an odd interval', ['doctor', '--infra', 'infra', '--watch=0'], 'expected a whole number of seconds'],
    ['an unknown layer', ['drift', '--infra', 'infra', '--layer', 'bsd'], '--layer "bsd": expected one of tofu'],
    ['drift without a tree', ['drift'], 'name the infra tree'],
  ])('%s is wrong usage', async (_, [command, ...args], says) => {
    const called = Promise.resolve().then(() => (command === 'drift' ? drift : doctor).run(args));
    await expect(called).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(says) as unknown,
    });
  });

  it('a cluster that does not answer is unreadable, not fine', () => {
    const kubeconfig = join(scratch, 'kubeconfig');
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'x' },
      clusters: [{ name: 'x', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'x', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    };
    writeFileSync(kubeconfig, stringify(config));
    const { status, stdout, stderr } = run(['doctor', '--kubeconfig', kubeconfig]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('nothing of the cluster could be read');
    expect(run(['doctor', '--kubeconfig', kubeconfig, '--context', 'y']).stderr).toContain(
      'expected a context named y',
    );
  });
});

/** Stand-ins on the PATH: they print what they are told, and note how they were called. */
function standIn(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "$(basename "$PWD") ${name} $*" >> "${scratch}/calls"\n${script}\n`);
  chmodSync(path, 0o755);
}

describe('drift, with stand-ins for the tools', () => {
  const infra = join(scratch, 'small');
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(infra, file)), { recursive: true });
    writeFileSync(join(infra, file), text);
  };
  write('tofu/environment/edge/main.tf', '');
  write('ansible/playbooks/hosts.yaml', '');
  write('talos/talos/topf.yaml', '');
  const RECAP = "printf 'secret-in-the-diff\\nPLAY RECAP ****\\nproxmox-1 : ok=3 changed=1 unreachable=0 failed=0 \\n'";
  const path = (bin: string): Readonly<Record<string, string>> => ({ PATH: [bin, '/usr/bin', '/bin'].join(delimiter) });

  it('looks side by side, tells only counts, and ends with 1 where something drifted', () => {
    const bin = join(scratch, 'bin');
    standIn(bin, 'tofu', 'exit 0');
    standIn(bin, 'ansible-playbook', RECAP);
    standIn(bin, 'topf', 'exit 2');
    const { status, stdout, stderr } = run(
      ['drift', '--infra', infra, '--layer', 'tofu,ansible,talos', '--json'],
      path(bin),
    );
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      clean: false,
      rows: [
        { layer: 'tofu', means: 'reports', subject: 'edge', outcome: 'no drift' },
        {
          layer: 'ansible',
          means: 'detects',
          subject: 'hosts.yaml',
          outcome: 'drift',
          detail: 'proxmox-1: 1 would change',
        },
        { layer: 'talos', means: 'detects', subject: 'talos', outcome: 'drift' },
      ],
    });
    expect(stdout + stderr).not.toContain('secret-in-the-diff');
    expect(stderr).toMatch(/^\[3\/3\] /m);
    expect(readFileSync(join(scratch, 'calls'), 'utf8').trim().split('\n').sort()).toEqual([
      'ansible ansible-playbook --check --diff playbooks/hosts.yaml',
      'edge tofu plan -detailed-exitcode -lock=false -input=false -json -no-color',
      'talos topf apply --dry-run',
    ]);
  });

  it('a missing tool, a missing cluster and a check without end are rows', () => {
    const bin = join(scratch, 'slow');
    standIn(bin, 'tofu', 'exec sleep 60');
    const { status, stdout } = run(['drift', '--infra', infra, '--timeout', '2'], path(bin));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^tofu +reports +edge +failed +no end within 2 s$/m);
    expect(stdout).toMatch(/^ansible +detects +hosts\.yaml +not checked +there is no ansible-playbook on the PATH$/m);
    expect(stdout).toMatch(/^talos +detects +talos +not checked +there is no topf on the PATH$/m);
    expect(stdout).toMatch(/^flux +reconciles +cluster +not checked +no cluster was named/m);
  });

  it('ends with 0 where all of it was checked and nothing drifted', () => {
    const bin = join(scratch, 'still');
    standIn(bin, 'tofu', 'exit 0');
    expect(run(['drift', '--infra', infra, '--layer', 'tofu'], path(bin)).status).toBe(0);
  });
});
