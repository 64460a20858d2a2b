import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/kube.ts';
import { startApiServer } from '../fixtures/api-server-stand-in.ts';
import { KEY, KEY_ID, refuse, startB2, type B2Behaviour } from '../fixtures/b2-stand-in.ts';
import { BUCKET, BUCKET_ID, elsewhere, liveNamespace } from '../fixtures/live-namespace.ts';
import { schedule, xr } from '../fixtures/objects.ts';
import { runCli, type Ended } from '../fixtures/run-cli.ts';

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'tofuworkspace-import-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

const CREDENTIALS = { B2_APPLICATION_KEY_ID: KEY_ID, B2_APPLICATION_KEY: KEY };
const FRESH = [
  xr(),
  schedule('nightly', BUCKET),
  schedule('photos', 'demo-photos'),
] as unknown as readonly KubeObject[];
const B2 = {
  capabilities: ['listBuckets'],
  buckets: [
    { bucketName: BUCKET, bucketId: BUCKET_ID },
    { bucketName: 'Demo-Photos', bucketId: 'a'.repeat(24) },
  ],
};

const denied = (response: ServerResponse): void => {
  refuse(response, 403, 'access_denied');
};

let files = 0;

function file(text: string): string {
  const path = join(scratch, `${files++}.yaml`);
  writeFileSync(path, text);
  return path;
}

async function run(
  behaviour: B2Behaviour,
  documents: readonly unknown[],
  ...args: readonly string[]
): Promise<Ended & { calls: readonly string[] }> {
  const b2 = await startB2(behaviour);
  const path = file(stringify({ apiVersion: 'v1', kind: 'List', items: documents }));
  try {
    const flags = ['--objects', path, '--all-namespaces', '--endpoint', b2.url, ...args];
    return { ...(await runCli(['import-blocks', 'demo-a', ...flags], CREDENTIALS)), calls: b2.calls };
  } finally {
    await b2.close();
  }
}

describe('import-blocks', () => {
  it('prints the entries as YAML and nothing else on stdout', async () => {
    const { status, stdout, stderr, calls } = await run(B2, FRESH);
    expect(status).toBe(0);
    expect(stdout).toBe(`spec:
  adoptBuckets:
    - bucket: demo-files
      bucketId: 4a48fe8875c6214145260818
    - bucket: Demo-Photos
      bucketId: aaaaaaaaaaaaaaaaaaaaaaaa
`);
    expect(stderr).toBe(
      '2 to adopt. Pause both objects first, and read the import blocks: docs/runbooks/adopt-bucket.md\n',
    );
    expect(calls).toEqual(['GET b2_authorize_account', 'POST b2_list_buckets']);
  });

  it('takes those that were chosen', async () => {
    const { stdout } = await run(B2, FRESH, '--bucket', 'demo-photos');
    expect(stdout).not.toContain(BUCKET);
    expect(stdout).toContain('bucket: Demo-Photos');
  });

  it("refuses a bucket that another Workspace's outputs list, and prints nothing", async () => {
    const { status, stdout, stderr } = await run(B2, [...FRESH, ...elsewhere(liveNamespace(), 'demo-b')]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(
      'refused: demo-files: Workspace demo-b/workspace speaks of it (status.atProvider.outputs.buckets): two states would own it\n',
    );
  });

  it('says that there is nothing to adopt', async () => {
    const { status, stdout, stderr } = await run(B2, liveNamespace());
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain("demo-files: this namespace's Workspace has it already\nnothing to adopt in demo-a\n");
  });

  it('reads a cluster by GET, in all namespaces what may claim a bucket, and no Secret', async () => {
    const api = await startApiServer([...FRESH, ...elsewhere(liveNamespace({ schedules: [], buckets: {} }), 'demo-b')]);
    const b2 = await startB2(B2);
    try {
      const args = ['import-blocks', 'demo-a', '--kubeconfig', file(api.kubeconfig), '--endpoint', b2.url];
      const { status, stdout } = await runCli(args, CREDENTIALS);
      expect(status).toBe(0);
      expect(stdout).toContain(BUCKET_ID);
      expect(api.requests.filter(request => !request.startsWith('GET '))).toEqual([]);
      expect(api.requests).toContain('GET /apis/opentofu.m.upbound.io/v1beta1/workspaces');
      expect(api.requests.filter(request => request.includes('secrets'))).toEqual([]);
    } finally {
      await Promise.all([api.close(), b2.close()]);
    }
  });

  it('refuses where Workspaces may not be read in all namespaces', async () => {
    const api = await startApiServer(FRESH, ['v1beta1/workspaces']);
    const b2 = await startB2(B2);
    try {
      const args = ['import-blocks', 'demo-a', '--kubeconfig', file(api.kubeconfig), '--endpoint', b2.url];
      const { status, stdout, stderr } = await runCli(args, CREDENTIALS);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/refused: Workspace in all namespaces could not be read: forbidden \(403: /);
    } finally {
      await Promise.all([api.close(), b2.close()]);
    }
  });

  it.each([
    {
      name: 'a key of some buckets',
      behaviour: { ...B2, restrictedTo: [{ id: BUCKET_ID, name: BUCKET }] },
      says: /is restricted to some buckets/,
    },
    {
      name: '403 on the list',
      behaviour: { ...B2, instead: { b2_list_buckets: denied } },
      says: /b2_list_buckets at 127.0.0.1:\d+: 403 access_denied: /,
    },
    {
      name: 'an id that is none',
      behaviour: { ...B2, buckets: [{ bucketName: BUCKET, bucketId: '1' }] },
      says: /buckets\[0\].bucketId: expected 24 hexadecimal digits, got string "1"/,
    },
  ])('$name: refused, nothing printed, no secret told', async ({ behaviour, says }) => {
    const { status, stdout, stderr } = await run(behaviour, FRESH);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/SECRET-MARKER|003aabb/);
  });

  it('wrong usage: exit code 2', async () => {
    const without = await runCli(['import-blocks', 'demo-a', '--objects', 'none']);
    expect([without.status, without.stderr]).toEqual([2, expect.stringContaining('B2_APPLICATION_KEY_ID is not set')]);
    const composition = await runCli(['import-blocks', 'demo-a', '--composition', 'none.yaml'], CREDENTIALS);
    expect([composition.status, composition.stderr]).toEqual([2, expect.stringContaining('cannot read none.yaml')]);
  });
});
