/** What OpenTofu says when something is wrong, read by the function as the Workspace's condition. */
import { expect, it } from 'vitest';
import { schedule } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';

interface Fault {
  readonly name: string;
  readonly break: (app: App) => void;
  readonly summary: RegExp;
  readonly reason: string;
  readonly hint: string;
}

const faults: readonly Fault[] = [
  {
    name: 'a state bucket that does not exist',
    break: app => {
      app.stateFields = { bucket: 'no-such-bucket' };
    },
    summary: /bucket|backend|workspaces/i,
    reason: 'BackendInitFailed',
    hint: '/no-such-bucket/demo-a/workspace/',
  },
  {
    name: 'an unknown access key',
    break: app => {
      app.secrets = { ...app.secrets, 'tofu-workspace-s3-credentials/AWS_ACCESS_KEY_ID': 'unknown' };
    },
    summary: /./,
    reason: 'BackendInitFailed',
    hint: 'Secret demo-a/tofu-workspace-s3-credentials',
  },
  {
    name: 'a wrong secret access key',
    break: app => {
      app.secrets = { ...app.secrets, 'tofu-workspace-s3-credentials/AWS_SECRET_ACCESS_KEY': 'wrong' };
    },
    summary: /./,
    reason: 'BackendInitFailed',
    hint: 'Secret demo-a/tofu-workspace-s3-credentials',
  },
  {
    name: 'a state store that nobody answers for',
    break: app => {
      app.stateFields = { endpoint: 'http://127.0.0.1:9' };
    },
    summary: /./,
    reason: 'BackendInitFailed',
    hint: 'http://127.0.0.1:9/state/',
  },
  {
    name: 'a bucket that exists',
    break: app => {
      app.world.put('b2_bucket', 'x', { bucket_id: 'x', bucket_name: 'DEMO-files' });
    },
    summary: /Bucket name is already in use/,
    reason: 'BucketExists',
    hint: 'spec.adoptBuckets',
  },
];

describeTofu('the function knows the cause of', start => {
  it.each(faults)('$name', async fault => {
    const app = start({ encryption: 'fast' });
    app.schedules = [schedule('nightly', 'demo-files')];
    fault.break(app);
    const { error } = await app.reconcile();
    expect(/Summary: (.*)\. To see/.exec(error?.message ?? '')?.[1]).toMatch(fault.summary);
    expect(app.hint()).toMatchObject({ reason: fault.reason });
    expect(app.hint().message).toContain(fault.hint);
  });

  it('a key that may not delete buckets', async () => {
    const app = start();
    app.spec = { retainBuckets: false };
    app.schedules = [schedule('nightly', 'demo-files')];
    // The flag takes effect with the second: what the first applied proves what is in state.
    await app.reconcile();
    await app.reconcile();
    app.world.fail({
      'b2_bucket.delete': 'unauthorized for application key with capabilities "listBuckets", not deleteBuckets',
    });
    const error = await app.destroy();
    app.report(error);
    expect(app.hint()).toMatchObject({ reason: 'DeleteBucketsUnauthorized' });
  });

  it('a missing NetBird token', async () => {
    const app = start();
    app.secrets = { ...app.secrets, 'tofu-workspace-netbird-credentials/NB_PAT': '' };
    expect((await app.reconcile()).error?.message).toContain('Summary: Missing required argument');
  });
});
