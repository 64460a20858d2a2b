/** From the module of a go-templating Composition, in the same state and namespace. */
import { expect, it } from 'vitest';
import { NAMESPACE, schedule } from '../../fixtures/objects.ts';
import { describeTofu, type App } from './app.ts';
import { Store } from '../../tofu/store.ts';

/** One bucket "b0", as such a module has it, with the key as given. */
function oldModule(key: string): string {
  return `
terraform {
  required_providers {
    b2 = {
      source  = "Backblaze/b2"
      version = "0.13.0"
    }
  }
}
resource "b2_bucket" "b0" {
  bucket_name = "demo-files"
  bucket_type = "allPrivate"
  lifecycle {
    prevent_destroy = true
  }
}
resource "b2_application_key" "b0" {
${key}
}
`;
}

const OTHER_KEY = `
  key_name     = "demo-files"
  bucket_ids   = [b2_bucket.b0.bucket_id]
  capabilities = ["listBuckets", "listFiles", "readFiles", "writeFiles", "deleteFiles"]`;

const SAME_KEY = `
  key_name     = "demo-a-demo-files"
  bucket_id    = b2_bucket.b0.bucket_id
  capabilities = ["listAllBucketNames", "listBuckets", "listFiles", "readFiles", "writeFiles", "deleteFiles"]`;

/** Applies an old module, and has it observed as the Workspace under the XR. */
async function before(app: App, key: string): Promise<App> {
  const module = oldModule(key);
  const configuration = `
terraform {
  backend "s3" {
    bucket               = "${Store.BUCKET}"
    key                  = "${app.stateKey}"
    region               = "us-east-1"
    workspace_key_prefix = "${NAMESPACE}"
    endpoints            = { s3 = "${app.site.store.endpoint}" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    skip_metadata_api_check     = true
    skip_s3_checksum            = true
  }
}
`;
  const metadata = { name: 'workspace', namespace: NAMESPACE };
  app.schedules = [schedule('nightly', 'demo-files')];
  app.inputFields = {};
  app.stateFields = { encryption: { adoptUnencrypted: true } };
  const order = { ...app.order(app.settle()), module, configuration };
  const plain = { ...order, environment: { ...order.environment, TF_ENCRYPTION: '' } };
  await app.directory.connect(plain);
  await app.directory.apply(plain);
  app.world.takeCalls();
  app.observed = new Map([
    [
      'providerconfig',
      {
        object: {
          apiVersion: 'opentofu.m.upbound.io/v1beta1',
          kind: 'ProviderConfig',
          metadata,
          spec: { configuration },
        },
        connectionDetails: new Map(),
      },
    ],
    [
      'workspace',
      {
        object: {
          apiVersion: 'opentofu.m.upbound.io/v1beta1',
          kind: 'Workspace',
          metadata: { ...metadata, annotations: { 'crossplane.io/external-name': 'workspace' } },
          spec: { forProvider: { source: 'Inline', inlineFormat: 'HCL', module } },
        },
        connectionDetails: new Map(),
      },
    ],
  ]);
  // Backend and encryption change, so it takes an empty directory, as after a restart of the provider's pod.
  app.loseDirectory();
  return app;
}

const MOVED = { movedFrom: [{ address: 'b2_bucket.b0', bucket: 'demo-files' }] };

describeTofu('after go-templating', start => {
  it('nothing is done without movedFrom, and nothing but the guard is added with it', async () => {
    const app = await before(start({ encryption: 'fast' }), SAME_KEY);
    expect(app.decide()).toMatchObject({ kind: 'refused', conditions: [{ reason: 'ForeignModule' }] });
    app.spec = MOVED;
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '1 to add, 0 to change, 0 to destroy' });
    expect(app.world.takeCalls()).toEqual([]);
    expect(await app.resources()).toEqual([
      'b2_application_key.backup["demo-files"]',
      'b2_bucket.backup["demo-files"]',
      'terraform_data.guard',
    ]);
    // movedFrom may stay, and may go.
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
    app.spec = {};
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
  });

  it('a key with other arguments is replaced, the new one first; the bucket stays', async () => {
    const app = await before(start(), OTHER_KEY);
    const buckets = app.world.objects('b2_bucket');
    app.spec = MOVED;
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: '2 to add, 0 to change, 1 to destroy' });
    expect(app.world.takeCalls(false)).toEqual(['b2_application_key.create', 'b2_application_key.delete']);
    expect(app.world.objects('b2_bucket')).toEqual(buckets);
  });

  it('without the refusal the bucket would be destroyed', async () => {
    const app = await before(start(), SAME_KEY);
    app.spec = MOVED;
    const order = app.order(app.settle());
    const module = order.module.replaceAll(/^moved \{\n.*?^\}\n/gms, '');
    await app.directory.connect({ ...order, module });
    expect((await app.directory.plan({ ...order, module })).text).toContain('b2_bucket.b0 will be destroyed');
  });
});
