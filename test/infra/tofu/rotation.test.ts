/** A new state passphrase, by the steps of infra/tofu/README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { must, Site } from './site.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const OLD = 'a passphrase of tests';
const NEW = 'another passphrase of tests';

let site: Site;

beforeAll(async () => {
  site = await Site.start();
  await site.init('netbird');
  await site.apply('netbird');
});

afterAll(() => site.stop());

function edit(environment: string, file: string, change: (text: string) => string): void {
  const path = site.path(environment, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

/** The HCL in the README under "A new passphrase". */
const README = readFileSync(new URL('../../../infra/tofu/README.md', import.meta.url), 'utf8');
const BOTH = /^```hcl\n(.*?)^```/ms.exec(README)?.[1] ?? '';

it('both open the state while it is rotated, and it is written anew', async () => {
  for (const environment of ['netbird', 'production']) {
    writeFileSync(site.path(environment, 'encryption.tf'), BOTH);
    edit(environment, '.env.example', text => `${text}TF_VAR_new_state_passphrase=\n`);
    site.writeEnv(environment, { TF_VAR_new_state_passphrase: NEW });
  }
  const remote = /^ {4}remote_state_data_sources \{.*?^ {4}\}\n/ms;
  edit('netbird', 'encryption.tf', text => text.replace(remote, ''));
  await site.init('production');
  // Production reads netbird's state before and after that was rotated.
  must(await site.run('production', 'plan', '-input=false'));
  expect(site.store.read('netbird/terraform.tfstate')).not.toContain('passphrase_2027');
  await site.apply('netbird');
  expect(site.store.read('netbird/terraform.tfstate')).toContain('key_provider.pbkdf2.passphrase_2027');
  must(await site.run('production', 'plan', '-input=false'));
});

it('the new one alone opens it afterwards', async () => {
  edit('netbird', 'encryption.tf', text =>
    text
      .replace(/^ {4}key_provider "pbkdf2" "passphrase" \{.*?^ {4}\}\n/ms, '')
      .replace(/^ {4}method "aes_gcm" "current" \{.*?^ {4}\}\n/ms, '')
      .replace(/^ {6}fallback \{.*?^ {6}\}\n/ms, '')
      .replace('var.new_state_passphrase', 'var.state_passphrase')
      .replace(/^variable .*?^\}\n/ms, ''),
  );
  edit('netbird', '.env.example', text => text.replace('TF_VAR_new_state_passphrase=\n', ''));
  site.writeEnv('netbird', { TF_VAR_state_passphrase: NEW });
  expect(must(await site.run('netbird', 'plan', '-input=false'))).toMatch(/No changes/);
  site.writeEnv('netbird', { TF_VAR_state_passphrase: OLD });
  const { status, output } = await site.run('netbird', 'plan', '-input=false');
  expect(status).toBe(1);
  expect(output).toMatch(/decryption failed/i);
});
