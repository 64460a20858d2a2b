/**
 * What the older, go-templating Composition left behind: its composition resource keys, its module and its
 * ProviderConfig, all of them in use.
 */
import type { Cluster, Fields } from './core.ts';
import { NAMESPACE } from '../../fixtures/objects.ts';

/** Buckets in the order of the module's blocks: `b2_bucket.b0` and so on. */
export function composeOlder(cluster: Cluster, buckets: readonly string[], stateBucket: string): void {
  const metadata = { name: 'workspace', namespace: NAMESPACE, uid: 'uid-older', generation: 1 };
  const add = (key: string, object: Fields): void => {
    cluster.replace({ key, object, connectionDetails: {} });
  };
  add('providerconfig', {
    apiVersion: 'opentofu.m.upbound.io/v1beta1',
    kind: 'ProviderConfig',
    metadata,
    spec: { configuration: configurationOf(stateBucket) },
  });
  add('workspace', {
    apiVersion: 'opentofu.m.upbound.io/v1beta1',
    kind: 'Workspace',
    metadata,
    spec: {
      providerConfigRef: { kind: 'ProviderConfig', name: 'workspace' },
      writeConnectionSecretToRef: { name: 'workspace-outputs' },
      forProvider: { source: 'Inline', inlineFormat: 'HCL', module: buckets.map(moduleOf).join('\n') },
    },
  });
  add('usage-providerconfig', {
    apiVersion: 'protection.crossplane.io/v1beta1',
    kind: 'Usage',
    metadata: { ...metadata, name: 'workspace-providerconfig' },
    spec: {
      of: { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'ProviderConfig', resourceRef: { name: 'workspace' } },
      by: { apiVersion: 'opentofu.m.upbound.io/v1beta1', kind: 'Workspace', resourceRef: { name: 'workspace' } },
    },
  });
}

function moduleOf(bucket: string, index: number): string {
  return `
resource "b2_bucket" "b${index}" {
  bucket_name = "${bucket}"
  bucket_type = "allPrivate"
  lifecycle {
    prevent_destroy = true
  }
}
resource "b2_application_key" "b${index}" {
  key_name     = "${bucket}"
  bucket_ids   = [b2_bucket.b${index}.bucket_id]
  capabilities = ["listBuckets", "listFiles", "readFiles", "writeFiles", "deleteFiles"]
}`;
}

function configurationOf(stateBucket: string): string {
  return `terraform {
  backend "s3" {
    bucket               = "${stateBucket}"
    key                  = "terraform.tfstate"
    region               = "fsn1"
    workspace_key_prefix = "${NAMESPACE}"
    endpoints            = { s3 = "https://fsn1.your-objectstorage.com" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    skip_metadata_api_check     = true
    skip_s3_checksum            = true
  }
}`;
}
