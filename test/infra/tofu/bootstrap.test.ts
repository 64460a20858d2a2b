/**
 * The bootstrap of infra/README.md, in its order: from nothing to a plan of production. The root of trust by the commands of
 * infra/tofu/environment/tofu/README.md.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must, Site } from './site.ts';

// Many runs of OpenTofu one after the other, each with its own key derivation.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let site: Site;

beforeAll(async () => {
  site = await Site.start();
});

afterAll(() => site.stop());

describe('the root of trust', () => {
  it('begins with a local, encrypted state', async () => {
    copyFileSync(site.path('tofu', 'backend_override.tf.example'), site.path('tofu', 'backend_override.tf'));
    await site.init('tofu');
    await site.apply('tofu');
    expect(site.store.keys()).toEqual([]);
    const state = readFileSync(site.path('tofu', 'bootstrap.tfstate'), 'utf8');
    expect(Object.keys(JSON.parse(state) as object)).toContain('encrypted_data');
    expect(state).not.toContain('crossplane-talos-workspaces');
    expect(
      must(await site.run('tofu', 'state', 'list'))
        .split('\n')
        .filter(line => line.startsWith('minio')),
    ).toEqual([
      'minio_s3_bucket.state["environments"]',
      'minio_s3_bucket.state["workspaces"]',
      'minio_s3_bucket_versioning.state["environments"]',
      'minio_s3_bucket_versioning.state["workspaces"]',
    ]);
  });

  it('moves into the bucket that it made', async () => {
    rmSync(site.path('tofu', 'backend_override.tf'));
    const refused = await site.run('tofu', 'plan', '-input=false');
    expect(refused.output).toMatch(/Backend initialization required/);
    must(await site.confirm('tofu\nyes', 'tofu', 'init', '-migrate-state'));
    expect(site.store.keys()).toEqual(['tofu/terraform.tfstate']);
    expect(Object.keys(JSON.parse(site.store.read('tofu/terraform.tfstate')) as object)).toContain('encrypted_data');
    expect(must(await site.run('tofu', 'plan', '-input=false'))).toMatch(/No changes/);
  });

  it('can not be destroyed, as a whole or by an entry that is taken out', async () => {
    const all = await site.run('tofu', 'plan', '-destroy', '-input=false');
    expect(all.status).toBe(1);
    expect(all.output).toMatch(/Resource instance cannot be destroyed/);
    const buckets = site.path('tofu', 'buckets.tf');
    const before = readFileSync(buckets, 'utf8');
    writeFileSync(buckets, before.replace(/^ {4}workspaces .*\n/m, ''));
    writeFileSync(site.path('tofu', 'outputs.tf'), '');
    const one = await site.run('tofu', 'plan', '-input=false');
    writeFileSync(buckets, before);
    expect(one.status).toBe(1);
    expect(one.output).toMatch(/state\["workspaces"\] has\s+prevent_destroy\s+set/);
  });
});

describe('netbird, then production', () => {
  it('production can not be planned before netbird was applied', async () => {
    await site.init('production');
    const { status, output } = await site.run('production', 'plan', '-input=false');
    expect(status).toBe(1);
    expect(output).toMatch(/Unable to find remote state/);
  });

  it('netbird lies encrypted under its own key', async () => {
    await site.init('netbird');
    await site.apply('netbird');
    expect(site.store.keys()).toEqual(['netbird/terraform.tfstate', 'tofu/terraform.tfstate']);
    const state = site.store.read('netbird/terraform.tfstate');
    expect(state).not.toMatch(/hypervisors|netbird_token/);
  });

  it('production reads it', async () => {
    const { resource_changes } = await site.plan('production');
    const keys = resource_changes.filter(({ type }) => type === 'netbird_setup_key');
    const { output } = await site.run('netbird', 'output', '-json', 'group_ids');
    const groups = JSON.parse(/^\{.*\}$/ms.exec(output)?.[0] ?? '') as Record<string, string>;
    expect(keys).toHaveLength(4);
    for (const { change } of keys) expect(change.after.auto_groups).toEqual([groups.hypervisors]);
  });

  it('nothing is left to do after an apply', async () => {
    await site.apply('production');
    for (const environment of ['netbird', 'production']) {
      const { status, output } = await site.run(environment, 'plan', '-input=false', '-detailed-exitcode');
      expect({ status, output }).toMatchObject({ status: 0 });
    }
    expect(site.store.keys()).toContain('production/terraform.tfstate');
  });

  it('another passphrase opens nothing', async () => {
    site.writeEnv('production', { TF_VAR_state_passphrase: 'another passphrase of tests' });
    const { status, output } = await site.run('production', 'plan', '-input=false');
    site.writeEnv('production');
    expect(status).toBe(1);
    expect(output).toMatch(/decryption failed/i);
  });

  it('a remote state in plain text is refused', async () => {
    const state = { version: 4, terraform_version: '1.12.6', serial: 9, lineage: 'x', outputs: {}, resources: [] };
    site.store.overwrite('netbird/terraform.tfstate', JSON.stringify(state));
    const { status, output } = await site.run('production', 'plan', '-input=false');
    expect(status).toBe(1);
    expect(output).toMatch(/encountered unencrypted payload without unencrypted method configured/);
  });
});

it('leaves no lock and no plain state behind', () => {
  expect(site.store.keys().filter(key => key.endsWith('.tflock'))).toEqual([]);
  expect(existsSync(site.path('production', 'terraform.tfstate'))).toBe(false);
});
