/** The life of a Workspace: applied, at rest, changed, destroyed; and what stands in its way. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext } from 'vitest';
import { unpackError } from '../../../../src/report/packed-error.ts';
import { Bench, CONFIG, SECRET, bucketModule, workspace } from './bench.ts';
import { Namespace, eventually } from './cluster.ts';

const NAME = 'demo';

describe.skipIf(inject('kubeconfig') === '')('a Workspace', { concurrent: true }, () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await Bench.open();
    bench.start('--max-reconcile-rate', '3');
  });

  afterAll(async () => {
    const conflicts = bench.conflicts();
    await bench.close();
    expect(conflicts).toBe('');
  });

  const furnished = async ({ onTestFinished }: TestContext): Promise<Namespace> => {
    const namespace = await Namespace.create();
    // Or what is done with is planned every two seconds while the others wait for the machine.
    onTestFinished(() => namespace.pauseWorkspaces());
    await bench.furnish(namespace);
    return namespace;
  };

  const bucketOf = ({ name }: Namespace, suffix = 'a'): string => `${name}-${suffix}`;

  /** With one bucket, applied. */
  const applied = async (namespace: Namespace, protect = false): Promise<void> => {
    await namespace.create('Workspace', NAME, workspace(bucketModule([bucketOf(namespace)], { protect })));
    await namespace.ready(NAME);
  };

  const buckets = (): string[] => bench.world.list('b2_bucket', 'bucket_name');

  const bucketId = (name: string): string => {
    const found = Object.entries(bench.world.objects('b2_bucket')).find(([, bucket]) => bucket.bucket_name === name);
    if (found === undefined) throw new Error(`there is no bucket ${name}`);
    return found[0];
  };

  it('is applied, and tells outputs and credentials', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    const { metadata, status } = await namespace.get('Workspace', NAME);
    const bucket = bucketOf(namespace);
    const id = bucketId(bucket);

    expect(metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(metadata.annotations).toEqual({
      'crossplane.io/external-name': NAME,
      'crossplane.io/external-create-pending': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      'crossplane.io/external-create-succeeded': expect.stringMatching(/Z$/) as string,
    });
    expect(status?.atProvider).toEqual({
      checksum: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      outputs: { buckets: { [bucket]: id }, greeting: 'text, as it is' },
    });
    // provider-opentofu sets Ready itself, without a generation.
    const lastTransitionTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;
    const { generation: observedGeneration } = metadata;
    expect(status?.conditions).toEqual([
      { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime },
      { type: 'Synced', status: 'True', reason: 'ReconcileSuccess', observedGeneration, lastTransitionTime },
    ]);

    const secret = await namespace.findSecret('demo-outputs');
    expect(secret?.object).toMatchObject({
      type: 'connection.crossplane.io/v1alpha1',
      metadata: { ownerReferences: [{ kind: 'Workspace', name: NAME, uid: metadata.uid, controller: true }] },
    });
    expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['application_keys', 'buckets', 'greeting']);
    expect(secret?.data.greeting).toBe('text, as it is');
    expect(JSON.parse(secret?.data.application_keys ?? '')).toEqual({ [bucket]: expect.any(String) as string });

    const usage = await namespace.get('ProviderConfigUsage', metadata.uid);
    expect(usage).toMatchObject({
      metadata: {
        labels: { 'crossplane.io/provider-config': CONFIG, 'crossplane.io/provider-config-kind': 'ProviderConfig' },
      },
      providerConfigRef: { kind: 'ProviderConfig', name: CONFIG },
      resourceRef: { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'Workspace', name: NAME },
    });
    const config = await eventually('the usage is counted', async () => {
      const found = await namespace.get('ProviderConfig', CONFIG);
      return found.status?.users === 1 ? found : undefined;
    });
    expect(config.metadata.finalizers).toEqual(['in-use.crossplane.io']);

    expect(bench.read(metadata.uid, 'main.tf')).toBe(bucketModule([bucket]));
    expect(bench.read(metadata.uid, 'crossplane-provider-config.tf')).toBe(config.spec.configuration);
    for (const file of ['main.tf', 'crossplane-provider-config.tf'])
      expect(statSync(bench.file(metadata.uid, file)).mode & 0o777).toBe(0o600);
    // The external name is the tofu workspace.
    expect(bench.store.keys()).toContain(`${namespace.name}/${NAME}/terraform.tfstate`);
  });

  it('at rest is looked at and not written', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    // The poll after the one that made it ready writes the checksum that came with it.
    await sleep(8000);
    const before = await namespace.get('Workspace', NAME);
    const config = await namespace.get('ProviderConfig', CONFIG);
    const turns = (): number =>
      bench.log
        .split('\n')
        .filter(line => line.includes(`"namespace":"${namespace.name}"`) && line.includes('"reconciled"')).length;
    const first = turns();
    await eventually('it is looked at three times more', () => (turns() >= first + 3 ? true : undefined));
    expect(await namespace.get('Workspace', NAME)).toEqual(before);
    expect(await namespace.get('ProviderConfig', CONFIG)).toEqual(config);
  });

  it('follows a change of its module', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    const names = [bucketOf(namespace), bucketOf(namespace, 'b')];
    await namespace.merge('Workspace', NAME, { spec: { forProvider: { module: bucketModule(names) } } });
    const { status } = await namespace.ready(NAME);
    expect(Object.keys(status?.atProvider?.outputs?.buckets as object)).toEqual(names);
  });

  it('deleted, is destroyed, and lets go of its ProviderConfig', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    const { uid } = (await namespace.get('Workspace', NAME)).metadata;
    await namespace.delete('ProviderConfig', CONFIG);
    const config = await eventually('the ProviderConfig is held', async () => {
      const found = await namespace.get('ProviderConfig', CONFIG);
      return namespace.condition('Terminating', found) === undefined ? undefined : found;
    });
    expect(namespace.condition('Terminating', config)).toMatchObject({
      status: 'True',
      reason: 'InUse',
      message: 'Blocking deletion while usages still exist',
    });

    await namespace.delete('Workspace', NAME);
    await namespace.gone('Workspace', NAME);
    expect(buckets()).not.toContain(bucketOf(namespace));
    // The tofu workspace is deleted too.
    expect(bench.store.keys().filter(key => key.startsWith(`${namespace.name}/`))).toEqual([]);

    expect(await namespace.find('ProviderConfig', CONFIG)).toBeDefined();
    // As the garbage collector would: its controller is gone.
    await namespace.delete('ProviderConfigUsage', uid);
    await namespace.gone('ProviderConfig', CONFIG);
  });

  it('whose destroy is refused keeps its finalizer and its bucket, and says why', async context => {
    const namespace = await furnished(context);
    await applied(namespace, true);
    await namespace.delete('Workspace', NAME);
    const refused = await namespace.synced(NAME, /cannot be destroyed/);
    const synced = namespace.condition('Synced', refused);
    expect(synced).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(synced?.message).toMatch(
      /^delete failed: cannot destroy tofu configuration: OpenTofu encountered an error\. Summary: Instance cannot be destroyed\. To see the full error run: echo "[A-Za-z0-9+/=]+" \| base64 -d \| gunzip$/,
    );
    expect(unpackError(synced?.message ?? '')).toContain('b2_bucket.backup');
    expect(namespace.condition('Ready', refused)).toMatchObject({ status: 'False', reason: 'Deleting' });
    expect(refused.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(buckets()).toContain(bucketOf(namespace));

    // The literal, edited by hand: the next attempt destroys.
    await namespace.merge('Workspace', NAME, {
      spec: { forProvider: { module: bucketModule([bucketOf(namespace)]) } },
    });
    await namespace.gone('Workspace', NAME);
    expect(buckets()).not.toContain(bucketOf(namespace));
  });

  it('whose bucket holds files stays, until it is emptied', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    const id = bucketId(bucketOf(namespace));
    bench.world.fill(id);
    await namespace.delete('Workspace', NAME);
    await namespace.synced(NAME, /^delete failed: .* Summary: Cannot delete non-empty bucket\. /);
    expect(buckets()).toContain(bucketOf(namespace));
    bench.world.empty(id);
    await namespace.gone('Workspace', NAME);
    expect(buckets()).not.toContain(bucketOf(namespace));
  });

  it('without Delete in its policies ends, and what it made stays', async context => {
    const namespace = await furnished(context);
    await applied(namespace, true);
    await namespace.delete('Workspace', NAME);
    await namespace.synced(NAME, /cannot be destroyed/);
    await namespace.merge('Workspace', NAME, {
      spec: { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
    });
    await namespace.gone('Workspace', NAME);
    expect(buckets()).toContain(bucketOf(namespace));
    expect(bench.store.keys()).toContain(`${namespace.name}/${NAME}/terraform.tfstate`);
  });

  it('deleted without its ProviderConfig waits for it', async context => {
    const namespace = await furnished(context);
    await applied(namespace);
    // By hand, against the finalizer.
    await namespace.delete('ProviderConfig', CONFIG);
    await namespace.merge('ProviderConfig', CONFIG, { metadata: { finalizers: null } });
    await namespace.gone('ProviderConfig', CONFIG);
    await namespace.delete('Workspace', NAME);
    await namespace.synced(
      NAME,
      /^connect failed: failed to resolve provider config: cannot get provider config: ProviderConfig\.opentofu\.m\.upbound\.io "demo" not found$/,
    );
    expect(buckets()).toContain(bucketOf(namespace));
    await bench.createProviderConfig(namespace);
    await namespace.gone('Workspace', NAME);
    expect(buckets()).not.toContain(bucketOf(namespace));
  });

  it('waits for a Secret that is missing', async () => {
    const namespace = await Namespace.create();
    await bench.createProviderConfig(namespace);
    await namespace.create('Workspace', NAME, workspace(bucketModule([bucketOf(namespace)])));
    const waiting = await namespace.synced(
      NAME,
      new RegExp(`^connect failed: cannot resolve variables: Secret "${SECRET}" not found$`),
    );
    // It has done nothing yet, so that nothing would have to be destroyed.
    expect(waiting.metadata.finalizers).toBeUndefined();
    await namespace.createSecret(SECRET, { AWS_ACCESS_KEY_ID: 'x' });
    await namespace.synced(
      NAME,
      new RegExp(`couldn't find key AWS_SECRET_ACCESS_KEY in Secret ${namespace.name}/${SECRET}$`),
    );
  });

  it('paused is left alone', async context => {
    const namespace = await furnished(context);
    await namespace.create('Workspace', NAME, {
      metadata: { annotations: { 'crossplane.io/paused': 'true' } },
      ...workspace(bucketModule([bucketOf(namespace)])),
    });
    await namespace.workspace(
      NAME,
      'is paused',
      object => namespace.condition('Synced', object)?.reason === 'ReconcilePaused',
    );
    expect(buckets()).not.toContain(bucketOf(namespace));
    await namespace.merge('Workspace', NAME, { metadata: { annotations: { 'crossplane.io/paused': null } } });
    await namespace.ready(NAME);
    expect(buckets()).toContain(bucketOf(namespace));
  });

  it('without any policy is paused, and with an unknown set of them refused', async context => {
    const namespace = await furnished(context);
    await namespace.create(
      'Workspace',
      NAME,
      workspace(bucketModule([bucketOf(namespace)]), { managementPolicies: [] }),
    );
    await namespace.workspace(
      NAME,
      'is paused',
      object => namespace.condition('Synced', object)?.reason === 'ReconcilePaused',
    );
    await namespace.merge('Workspace', NAME, { spec: { managementPolicies: ['Delete'] } });
    await namespace.synced(NAME, /value\(\[Delete\]\) which is not supported\. Check docs/);
    expect(buckets()).not.toContain(bucketOf(namespace));
  });

  it('whose first apply fails says so, and tries again', async context => {
    const namespace = await furnished(context);
    await namespace.create('Workspace', NAME, workspace(bucketModule([bucketOf(namespace), 'no'], {})));
    // A name that is in use: of another bucket, made before.
    bench.world.put('b2_bucket', 'taken', { bucket_id: 'taken', bucket_name: 'no' });
    const failed = await namespace.synced(NAME, /^(?:create|update) failed: cannot apply tofu configuration: OpenTofu/);
    expect(namespace.condition('Synced', failed)?.message).toContain('Summary: Bucket name is already in use');
    expect(namespace.condition('Ready', failed)?.status).not.toBe('True');
    await namespace.merge('Workspace', NAME, {
      spec: { forProvider: { module: bucketModule([bucketOf(namespace)]) } },
    });
    await namespace.ready(NAME);
  });

  it('in a namespace that terminates needs its usage: without it nothing can be destroyed', async context => {
    const namespace = await furnished(context);
    await applied(namespace, true);
    const { uid } = (await namespace.get('Workspace', NAME)).metadata;
    await namespace.terminate();
    // As the namespace controller does: nothing holds it.
    await namespace.delete('ProviderConfigUsage', uid);
    await namespace.delete('Workspace', NAME);
    await namespace.synced(
      NAME,
      new RegExp(
        'connect failed: failed to resolve provider config: cannot track provider config usage: cannot apply ' +
          `ProviderConfigUsage: cannot create object: providerconfigusages.opentofu.m.upbound.io "${uid}" is forbidden: ` +
          `unable to create new content in namespace ${namespace.name} because it is being terminated$`,
      ),
    );
    // What needs no connection still works.
    await namespace.merge('Workspace', NAME, {
      spec: { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
    });
    await namespace.gone('Workspace', NAME);
    expect(buckets()).toContain(bucketOf(namespace));
  });
});
