import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { teardown } from '../../src/cli/teardown.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import type { KubeObject } from '../../src/kube.ts';
import { startApiServer } from '../fixtures/api-server-stand-in.ts';
import { KEY, KEY_ID, refuse, startB2, type B2Behaviour } from '../fixtures/b2-stand-in.ts';
import { BUCKET_ID, change, elsewhere, liveNamespace, withMetadata } from '../fixtures/live-namespace.ts';
import { runCli, type Ended } from '../fixtures/run-cli.ts';

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'tofuworkspace-teardown-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

const CREDENTIALS = { B2_APPLICATION_KEY_ID: KEY_ID, B2_APPLICATION_KEY: KEY };
let files = 0;

function file(text: string): string {
  const path = join(scratch, `${files++}.yaml`);
  writeFileSync(path, text);
  return path;
}

function objects(documents: readonly unknown[]): readonly string[] {
  return ['--objects', file(stringify({ apiVersion: 'v1', kind: 'List', items: documents })), '--all-namespaces'];
}

async function withB2(
  behaviour: B2Behaviour,
  ...args: readonly string[]
): Promise<Ended & { calls: readonly string[] }> {
  const b2 = await startB2(behaviour);
  try {
    const ended = await runCli(
      ['teardown', 'demo-a', ...objects(liveNamespace()), '--check-b2', '--endpoint', b2.url, ...args],
      CREDENTIALS,
    );
    return { ...ended, calls: b2.calls };
  } finally {
    await b2.close();
  }
}

describe('teardown of documents', () => {
  it('prints the plan of a protected namespace', async () => {
    const { status, stdout, stderr } = await runCli(['teardown', 'demo-a', ...objects(liveNamespace())]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('teardown/protected.txt');
  });

  it('says what stands against it, on both streams, with exit code 1', async () => {
    const documents = change(
      [...liveNamespace(), ...elsewhere(liveNamespace(), 'demo-b')],
      'Usage',
      () => undefined,
      'workspace-secret-tofu-encryption',
    );
    const { status, stdout, stderr } = await runCli([
      'teardown',
      'demo-a',
      ...objects(documents),
      '--b2-capabilities',
      'listBuckets',
    ]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'refused: held-by-usages, claimed-by-nobody-else, key-may-delete\n',
    });
    await expect(stdout).toMatchFileSnapshot('teardown/refused.txt');
  });

  it('tells the ways out of a deletion that came too early', async () => {
    const documents = change(liveNamespace(), 'Namespace', object =>
      withMetadata(object, { deletionTimestamp: '2026-11-01T08:00:00Z' }),
    );
    const { status, stdout } = await runCli(['teardown', 'demo-a', ...objects(documents)]);
    expect(status).toBe(1);
    await expect(stdout).toMatchFileSnapshot('teardown/terminating.txt');
  });

  it('--json is the plan', async () => {
    const { status, stdout } = await runCli(['teardown', 'demo-a', ...objects(liveNamespace()), '--json']);
    const plan = JSON.parse(stdout) as { stage: string; ways: { name: string }[] };
    expect([status, plan.stage, plan.ways[0]?.name]).toEqual([0, 'protected', 'keep-everything']);
  });

  it('characters that move the cursor are not printed', async () => {
    const documents = change(liveNamespace(), 'TofuWorkspace', xr => ({
      ...xr,
      status: {
        ...(xr['status'] as object),
        conditions: [{ type: 'IntentSettled', status: 'False', reason: '\u001b[2J' }],
      },
    }));
    const { stdout } = await runCli(['teardown', 'demo-a', ...objects(documents)]);
    expect(stdout).toContain('IntentSettled False (?[2J)');
  });
});

describe('teardown of a cluster', () => {
  it('reads it by GET and nothing else, B2 too', async () => {
    const api = await startApiServer([
      ...liveNamespace(),
      ...elsewhere(liveNamespace({ schedules: [], buckets: {} }), 'demo-b'),
    ] as KubeObject[]);
    const b2 = await startB2({ capabilities: ['deleteBuckets', 'listFiles'], full: [BUCKET_ID] });
    try {
      const { status, stdout, stderr } = await runCli(
        ['teardown', 'demo-a', '--kubeconfig', file(api.kubeconfig), '--check-b2', '--endpoint', b2.url],
        CREDENTIALS,
      );
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('demo-files  4a48fe8875c6214145260818  Wanted  holds files');
      expect(api.requests.length).toBeGreaterThan(10);
      expect([...api.requests, ...b2.calls].filter(request => !request.startsWith('GET '))).toEqual([]);
      // Secrets of no other namespace are asked for.
      expect(api.requests.filter(request => request.endsWith('/secrets'))).toEqual([
        'GET /api/v1/namespaces/demo-a/secrets',
      ]);
      expect(stdout + stderr).not.toMatch(/SECRET-MARKER|U0VDUkVU/);
    } finally {
      await Promise.all([api.close(), b2.close()]);
    }
  });

  it('refuses where a kind may not be read', async () => {
    const api = await startApiServer(liveNamespace(), ['/usages']);
    try {
      const { status, stdout, stderr } = await runCli(['teardown', 'demo-a'], { KUBECONFIG: file(api.kubeconfig) });
      expect({ status, stderr }).toEqual({ status: 1, stderr: 'refused: kinds-read\n' });
      expect(stdout).toMatch(/Usage in demo-a: forbidden \(403: .*usages is forbidden\)/);
      expect(stdout).not.toContain('WAY');
    } finally {
      await api.close();
    }
  });
});

describe('teardown --check-b2', () => {
  it('refuses a key that cannot delete buckets, by two GETs', async () => {
    const { status, stdout, stderr, calls } = await withB2({ capabilities: ['listBuckets', 'listFiles'] });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'refused: key-may-delete\n' });
    expect(stdout).toContain('it lacks deleteBuckets, according to B2');
    expect(calls).toEqual(['GET b2_authorize_account', 'GET b2_list_file_versions']);
  });

  it('a bucket that cannot be looked into is said, and stands against nothing', async () => {
    const { status, stdout, stderr } = await withB2({ capabilities: ['deleteBuckets'] });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `bucket ${BUCKET_ID}: not looked into: the key lacks the capability listFiles\n`,
    });
    expect(stdout).toContain('not looked into');
  });

  it('B2 that refuses is not read: refused, no secret told', async () => {
    const { status, stdout, stderr } = await withB2({
      instead: {
        b2_authorize_account: response => {
          refuse(response, 401, 'bad_auth_token');
        },
      },
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'refused: key-may-delete\n' });
    expect(stdout).toMatch(/401 bad_auth_token: B2 does not accept this key/);
    expect(stdout).not.toMatch(/SECRET-MARKER|003aabb/);
  });
});

describe('teardown, wrong usage', () => {
  const cases: { name: string; args: string[]; env?: Record<string, string>; says: string }[] = [
    { name: 'no namespace', args: [], says: 'name a namespace' },
    { name: 'no name of one', args: ['demo a'], says: 'expected a namespace' },
    { name: 'no source', args: ['demo-a'], says: 'give --kubeconfig FILE or --objects' },
    { name: 'two sources', args: ['demo-a', '--kubeconfig', 'a', '--objects', 'b'], says: 'two sources' },
    { name: 'no such kubeconfig', args: ['demo-a', '--kubeconfig', '/nonexistent'], says: 'cannot use /nonexistent' },
    {
      name: 'a key that is not in the environment',
      args: ['demo-a', '--check-b2'],
      says: 'B2_APPLICATION_KEY_ID is not set',
    },
    {
      name: 'both words about the key',
      args: ['demo-a', '--check-b2', '--b2-capabilities', 'x'],
      says: 'give one of them',
    },
    { name: 'no capabilities', args: ['demo-a', '--b2-capabilities', 'delete buckets'], says: 'names with commas' },
    {
      name: 'no seconds',
      args: ['demo-a', '--check-b2', '--timeout', 'soon'],
      env: CREDENTIALS,
      says: '--timeout: expected seconds',
    },
  ];
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(cases)('$name', async ({ args, env = {}, says }) => {
    for (const name of ['KUBECONFIG', 'B2_APPLICATION_KEY_ID', 'B2_APPLICATION_KEY']) vi.stubEnv(name, env[name]);
    const error = await Promise.resolve(teardown.run(args)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(says);
    expect(String(error)).not.toContain('SECRET-MARKER');
  });

  it('is exit code 2, a line on stderr and nothing on stdout', async () => {
    const { status, stdout, stderr } = await runCli(['teardown', 'demo-a']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('give --kubeconfig FILE or --objects FILE|FOLDER\n');
    expect(stderr).not.toContain('    at ');
  });
});
