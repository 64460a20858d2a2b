import { describe, expect, it } from 'vitest';
import { readWorkspace, type ObservedWorkspace } from '../cluster/workspace.ts';
import { parseKubeObject } from '../kube.ts';
import { reportWorkspace, type HintContext } from './hints.ts';

const CONTEXT: HintContext = {
  namespace: 'demo-a',
  namespaceLabels: ['secrets.tofu-workspace=true'],
  stateAddress: 'https://s3.example.test/states/demo-a/workspace/terraform.tfstate',
  passphraseSecret: 'tofu-encryption',
  stateSecret: 's3',
  b2Secret: 'b2',
};

function workspace(
  synced: 'True' | 'False' | undefined,
  message = '',
  generations: { metadata?: number; observed?: number } = {},
): ObservedWorkspace {
  const { metadata, observed } = generations;
  return readWorkspace(
    parseKubeObject({
      apiVersion: 'opentofu.m.upbound.io/v1beta1',
      kind: 'Workspace',
      metadata: { name: 'workspace', namespace: 'demo-a', generation: metadata },
      ...(synced === undefined
        ? {}
        : { status: { conditions: [{ type: 'Synced', status: synced, message, observedGeneration: observed }] } }),
    }),
  );
}

describe('known failures', () => {
  // Texts as the tools print them, line breaks included.
  const cases: { name: string; message: string; reason: string; says: string }[] = [
    {
      name: 'MissingSecret',
      message: 'connect failed: cannot get env var: secrets "tofu-workspace-s3-credentials" not found',
      reason: 'SecretMissing',
      says: 'Secret "tofu-workspace-s3-credentials" is not in demo-a. Check that the Namespace carries secrets.tofu-workspace=true',
    },
    {
      name: 'InterruptedCreation',
      message:
        'cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed',
      reason: 'CreationInterrupted',
      says: 'the provider ended in the middle of the first apply in demo-a, and waits for a human',
    },
    {
      name: 'MissingProviderConfig',
      message: 'connect failed: cannot get ProviderConfig: ProviderConfig.opentofu.m.upbound.io "workspace" not found',
      reason: 'ProviderConfigNotFound',
      says: 'the ProviderConfig in demo-a is gone',
    },
    {
      name: 'PreventDestroy110',
      message:
        'cannot run plan: Error: Instance cannot be destroyed\n\n  on main.tf line 40:\n\nResource b2_bucket.backup["demo-a-backups"] has lifecycle.prevent_destroy set, but\nthe plan calls for this resource to be destroyed.',
      reason: 'PreventDestroy',
      says: 'the plan would destroy bucket demo-a-backups',
    },
    {
      name: 'PreventDestroyOfExtra',
      message:
        'Error: Instance cannot be destroyed\n\n  on main.tf line 1:\n\nResource terraform_data.extra_a has lifecycle.prevent_destroy set, but the\nplan calls for this resource to be destroyed.',
      reason: 'PreventDestroy',
      says: 'the plan would destroy terraform_data.extra_a, and its own block in extraModules refuses that',
    },
    {
      name: 'ExtraResource',
      message: 'Error: Unsupported argument\n\n  on main.tf line 4, in resource "terraform_data" "extra_a":\n',
      reason: 'ExtraModuleFailed',
      says: 'OpenTofu\'s error names resource "terraform_data" "extra_a", which stands in extraModules',
    },
    {
      name: 'ExtraData',
      message: 'Error: Unable to find remote state\n\n  with data.terraform_remote_state.extra_a,\n  on main.tf line 1',
      reason: 'ExtraModuleFailed',
      says: 'names data.terraform_remote_state.extra_a, which',
    },
    {
      name: 'BucketBesideExtra',
      message:
        'Error: Instance cannot be destroyed\n\nResource terraform_data.extra_a has\nError: Instance cannot be destroyed\n\nResource b2_bucket.backup["demo-a-backups"] has',
      reason: 'PreventDestroy',
      says: 'the plan would destroy bucket demo-a-backups',
    },
    {
      name: 'PreventDestroy112',
      message:
        'Error: Resource instance cannot be destroyed\n\nResource instance b2_bucket.backup["demo-a-backups"] has prevent_destroy set, but the\nplan calls for it to be destroyed.',
      reason: 'PreventDestroy',
      says: 'spec.releaseBuckets',
    },
    {
      name: 'PreventDestroyOfGuard',
      message: 'Error: Instance cannot be destroyed\n\nResource terraform_data.guard has lifecycle.prevent_destroy set',
      reason: 'PreventDestroy',
      says: 'a protected bucket',
    },
    {
      name: 'WrongPassphrase',
      message:
        'Error: error loading state: decryption failed for all provided methods\nattempted decryption failed for state: decryption failed: cipher: message authentication failed',
      reason: 'WrongPassphrase',
      says: 'Secret demo-a/tofu-encryption',
    },
    {
      name: 'PlainState',
      message: 'Error: error loading state: encountered unencrypted payload without unencrypted method configured',
      reason: 'StateNotEncrypted',
      says: 'state.encryption.adoptUnencrypted',
    },
    {
      name: 'ShortPassphrase',
      message:
        'Error: Unable to build encryption key data\nkey_provider.pbkdf2.kp failed with error: passphrase is too short (minimum 16\ncharacters)',
      reason: 'PassphraseTooShort',
      says: 'fewer than 16 characters',
    },
    {
      name: 'MissingVariable',
      message:
        'Error: Unable to compute static value\nencryption.key_provider.pbkdf2.kp depends on var.p which is not available',
      reason: 'SecretMissing',
      says: 'or a key of it,',
    },
    {
      name: 'StateBucketMissing',
      message:
        'Error: Failed to get existing workspaces: S3 bucket does not exist.\nError: operation error S3: ListObjectsV2, https response error StatusCode: 404, RequestID: , HostID: , NoSuchBucket: gone',
      reason: 'BackendInitFailed',
      says: CONTEXT.stateAddress,
    },
    {
      name: 'StateDenied',
      message:
        'Error: Error refreshing state\noperation error S3: HeadObject, https response error StatusCode: 403, RequestID: , HostID: , api error Forbidden: Forbidden',
      reason: 'BackendInitFailed',
      says: 'must be allowed to list the bucket',
    },
    {
      name: 'BackendChanged',
      message: 'Error: Backend initialization required, please run "tofu init"',
      reason: 'BackendInitFailed',
      says: 'Secret demo-a/s3',
    },
    {
      name: 'BucketExists',
      message: 'Error: duplicate_bucket_name: Bucket name is already in use.',
      reason: 'BucketExists',
      says: 'spec.adoptBuckets',
    },
    {
      name: 'BucketNotEmpty',
      message: 'Error: cannot_delete_non_empty_bucket: Cannot delete non-empty bucket',
      reason: 'BucketNotEmpty',
      says: 'empty it by hand',
    },
    {
      name: 'DeleteUnauthorized',
      message: 'Error: deleting bucket: unauthorized: application key lacks deleteBuckets',
      reason: 'DeleteBucketsUnauthorized',
      says: 'Secret demo-a/b2',
    },
    {
      name: 'NoRegistry',
      message:
        'Error: Failed to resolve provider packages\nCould not resolve provider backblaze/b2: could not connect to\nregistry.opentofu.org: failed to request discovery document',
      reason: 'ProviderDownloadFailed',
      says: 'egress',
    },
  ];
  it.each(cases)('$name says which layer to look at and what to do', ({ message, reason, says }) => {
    const said = reportWorkspace(workspace('False', message), CONTEXT);
    expect(said).toMatchObject({ type: 'WorkspaceApplied', status: 'False', reason });
    expect(said.message).toContain(says);
  });
});

describe('everything else', () => {
  it('is never repeated: a message may hold anything', () => {
    const said = reportWorkspace(workspace('False', 'S3CR3T-MARKER exploded'), CONTEXT);
    expect(said.reason).toBe('NotSynced');
    expect(said.message).not.toContain('S3CR3T-MARKER');
  });

  it('says nothing of a Workspace that was not applied yet', () => {
    expect(reportWorkspace(undefined, CONTEXT).reason).toBe('NotAppliedYet');
    expect(reportWorkspace(workspace(undefined), CONTEXT).status).toBe('Unknown');
  });

  it('says nothing of this module where Synced speaks of the one before', () => {
    const older = workspace('True', '', { metadata: 3, observed: 2 });
    expect(reportWorkspace(older, CONTEXT)).toMatchObject({ status: 'Unknown', reason: 'NotAppliedYet' });
    const current = workspace('True', '', { metadata: 3, observed: 3 });
    expect(reportWorkspace(current, CONTEXT)).toMatchObject({ status: 'True', reason: 'Applied' });
  });

  it('says so when it is applied', () => {
    expect(reportWorkspace(workspace('True', 'Instance cannot be destroyed'), CONTEXT)).toMatchObject({
      status: 'True',
      reason: 'Applied',
    });
  });
});
