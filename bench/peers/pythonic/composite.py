"""What the function composes at rest, written for crossplane-function-pythonic: the same objects, without its guards."""
import json

from crossplane.pythonic import B64Encode, BaseComposite

LABELS = {'crossplane-workspace': 'true'}
ENV = {
    'AWS_ACCESS_KEY_ID': ('tofu-workspace-s3-credentials', 'AWS_ACCESS_KEY_ID'),
    'AWS_SECRET_ACCESS_KEY': ('tofu-workspace-s3-credentials', 'AWS_SECRET_ACCESS_KEY'),
    'B2_APPLICATION_KEY': ('tofu-workspace-b2-credentials', 'B2_APPLICATION_KEY'),
    'B2_APPLICATION_KEY_ID': ('tofu-workspace-b2-credentials', 'B2_APPLICATION_KEY_ID'),
    'NB_PAT': ('tofu-workspace-netbird-credentials', 'NB_PAT'),
    'TF_VAR_state_passphrase': ('tofu-encryption', 'passphrase'),
}
ZONE = 'int.example.test'
BACKEND = """terraform {
  backend "s3" {
    bucket               = "crossplane-talos-workspaces-995867de"
    key                  = "terraform.tfstate"
    region               = "fsn1"
    workspace_key_prefix = "%s"
    endpoints            = { s3 = "https://fsn1.your-objectstorage.com" }
  }
}
"""
MODULE = """terraform {
  required_providers {
    b2      = { source = "Backblaze/b2", version = "0.13.0" }
    netbird = { source = "netbirdio/netbird", version = "0.0.10" }
  }
}
locals {
  buckets = {
%s
  }
  records = {
%s
  }
}
resource "b2_bucket" "backup" {
  for_each    = local.buckets
  bucket_name = each.value
  bucket_type = "allPrivate"
  lifecycle {
    prevent_destroy = true
  }
}
resource "b2_application_key" "backup" {
  for_each     = local.buckets
  key_name     = each.value
  bucket_id    = b2_bucket.backup[each.key].bucket_id
  capabilities = ["deleteFiles", "listAllBucketNames", "listBuckets", "listFiles", "readFiles", "writeFiles"]
}
resource "netbird_dns_record" "internal" {
  for_each = local.records
  name     = each.key
  type     = "A"
  content  = "100.64.0.10"
  ttl      = 300
}
output "buckets" {
  value = { for bucket in b2_bucket.backup : bucket.bucket_name => bucket.bucket_id }
}
"""


class Composite(BaseComposite):
    def compose(self):
        namespace, name = str(self.metadata.namespace), str(self.metadata.name)
        schedules = self.requireds.schedules('k8up.io/v1', 'Schedule', namespace, labels=LABELS)
        routes = self.requireds.routes('gateway.networking.k8s.io/v1', 'HTTPRoute', namespace, labels=LABELS)
        buckets = sorted(str(schedule.spec.backend.s3.bucket) for schedule in schedules)
        hosts = sorted(str(host) for route in routes for host in route.spec.hostnames)
        self.compose_workspace(namespace, name, buckets, hosts)
        self.compose_usages(namespace, name)
        self.compose_secrets(namespace, buckets)
        self.status.bucketCount = len(buckets)
        self.status.recordCount = len(hosts)
        self.status.buckets = [{'name': bucket, 'state': 'Wanted'} for bucket in buckets]
        self.status.records = [{'name': host, 'type': 'A', 'content': '100.64.0.10'} for host in hosts]

    def compose_workspace(self, namespace, name, buckets, hosts):
        api = 'opentofu.m.upbound.io/v1beta1'
        config = self.resources['tofu-provider-config'](api, 'ProviderConfig', namespace, name)
        config.spec.configuration = BACKEND % namespace
        workspace = self.resources['tofu-workspace'](api, 'Workspace', namespace, name)
        workspace.spec = {
            'forProvider': {
                'source': 'Inline',
                'inlineFormat': 'HCL',
                'module': MODULE % (
                    '\n'.join('    "%s" = "%s"' % (bucket, bucket) for bucket in buckets),
                    '\n'.join('    "%s" = "%s"' % (host, ZONE) for host in hosts),
                ),
                'env': [
                    {'name': variable, 'secretKeyRef': {'name': secret, 'key': key}}
                    for variable, (secret, key) in ENV.items()
                ],
            },
            'providerConfigRef': {'kind': 'ProviderConfig', 'name': name},
            'writeConnectionSecretToRef': {'name': name + '-outputs'},
        }

    def compose_usages(self, namespace, name):
        for secret in sorted({secret for secret, _ in ENV.values()}):
            usage = self.resources['tofu-usage-secret-' + secret](
                'protection.crossplane.io/v1beta1', 'Usage', namespace, name + '-secret-' + secret
            )
            usage.spec = {
                'of': {'apiVersion': 'v1', 'kind': 'Secret', 'resourceRef': {'name': secret}},
                'by': {
                    'apiVersion': 'opentofu.m.upbound.io/v1beta1',
                    'kind': 'Workspace',
                    'resourceRef': {'name': name},
                },
            }

    def compose_secrets(self, namespace, buckets):
        details = self.request.observed.resources['tofu-workspace'].connection_details
        ids = json.loads(details['application_key_ids']._value)
        keys = json.loads(details['application_keys']._value)
        for bucket in buckets:
            secret = self.resources['tofu-credentials-%s-b2' % bucket]('v1', 'Secret', namespace, bucket + '-b2')
            secret.data = {
                'ACCESS_KEY_ID': B64Encode(ids[bucket]),
                'SECRET_ACCESS_KEY': B64Encode(keys[bucket]),
            }
