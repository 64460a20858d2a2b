/** What infra/tofu promises by its files alone: sameness, exact versions, and constants that others hold as well. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseInput } from '../../../src/api/input.ts';
import { ENVIRONMENTS, INFRA_TOFU, STATE_BUCKET } from './site.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const SAME_FILES = ['.env.example', 'README.md', 'backend.tf', 'encryption.tf', 'outputs.tf', 'providers.tf'];
SAME_FILES.push('tofu.sh', 'variables.tf', 'versions.tf');

function read(...path: readonly string[]): string {
  return readFileSync(join(INFRA_TOFU, ...path), 'utf8');
}

const FILES = readdirSync(INFRA_TOFU, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && !entry.parentPath.includes('.terraform'))
  .map(({ parentPath, name }) => relative(INFRA_TOFU, join(parentPath, name)));

it('has the seven environments and the two modules', () => {
  expect(ENVIRONMENTS).toEqual(['demo', 'edge', 'home', 'johnny-projects', 'netbird', 'production', 'tofu']);
  expect(readdirSync(join(INFRA_TOFU, 'modules/netbird')).sort()).toEqual(['dns_record', 'network']);
});

describe.each(ENVIRONMENTS)('%s', environment => {
  it('has the files that every environment has', () => {
    expect(readdirSync(join(INFRA_TOFU, 'environment', environment))).toEqual(expect.arrayContaining(SAME_FILES));
    expect(statSync(join(INFRA_TOFU, 'environment', environment, 'tofu.sh')).mode & 0o111).not.toBe(0);
  });

  it('keeps its state in the one bucket under its own key', () => {
    const text = read('environment', environment, 'backend.tf');
    expect(text).toContain(`bucket    = "${STATE_BUCKET}"`);
    expect(text).toContain(`key       = "${environment}/terraform.tfstate"`);
    expect(text.replace(`"${environment}/`, '"demo/')).toBe(read('environment/demo/backend.tf'));
  });

  it('encrypts state and plan, and takes nothing else', () => {
    const text = read('environment', environment, 'encryption.tf');
    const remote = /\n {4}#[^\n]*\n {4}remote_state_data_sources \{.*?\n {4}\}\n/s;
    expect(text.replace(remote, '')).toBe(read('environment/demo/encryption.tf'));
    expect(text.match(/enforced = true/g)).toHaveLength(2);
    expect(text).not.toMatch(/fallback|unencrypted/);
    const readsOthers = FILES.filter(
      file => file.startsWith(`environment/${environment}/`) && file.endsWith('.tf'),
    ).some(file => read(file).includes('data "terraform_remote_state"'));
    expect(remote.test(text)).toBe(readsOthers);
  });

  it('names credentials only, and gives none away', () => {
    const lines = read('environment', environment, '.env.example').split('\n');
    const names = lines.filter(line => /^#?[A-Za-z_]+=/.test(line));
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const line of names)
      expect(line).toMatch(/^#?((AWS|MINIO|HCLOUD|PROXMOX_VE|NB|UNIFI)_[A-Z_]+|TF_VAR_[a-z_]+)=$/);
    expect(names).toContain('TF_VAR_state_passphrase=');
  });
});

describe('versions', () => {
  const pins = FILES.filter(file => file.endsWith('versions.tf')).flatMap(file =>
    [...read(file).matchAll(/source {2}= "(.*)"\n +version = "(.*)"/g)].map(([, source = '', version = '']) => ({
      file,
      source,
      version,
    })),
  );

  it('are exact, and the same everywhere', () => {
    const found = new Map<string, string>();
    expect(pins.length).toBeGreaterThanOrEqual(11);
    for (const { file, source, version } of pins) {
      expect({ file, version }).toEqual({ file, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown });
      expect({ file, source, version }).toEqual({ file, source, version: found.get(source) ?? version });
      found.set(source, version);
    }
  });

  it('are those of the module that the function writes', () => {
    const { netbird } = parseInput(undefined).providers;
    const ours = pins.filter(({ source }) => source === netbird.source);
    expect(ours.length).toBeGreaterThanOrEqual(4);
    for (const { version } of ours) expect(version).toBe(netbird.version);
  });

  it('in a lock file are the pinned ones, from the public registry', () => {
    for (const file of FILES.filter(name => name.endsWith('.terraform.lock.hcl'))) {
      const folder = file.replace('.terraform.lock.hcl', '');
      const wanted = pins.filter(pin => pin.file.startsWith(folder));
      const locked = [...read(file).matchAll(/^provider "(.*)" \{\n +version += "(.*)"/gm)];
      expect(locked.map(([, address, version]) => ({ address, version }))).toEqual(
        wanted
          .map(({ source, version }) => ({ address: `registry.opentofu.org/${source.toLowerCase()}`, version }))
          .sort((a, b) => (a.address < b.address ? -1 : 1)),
      );
    }
  });
});

describe('constants that others hold as well', () => {
  const composition = parse(readFileSync(join(REPOSITORY, 'apis/tofuworkspace/composition.yaml'), 'utf8')) as {
    spec: { pipeline: { input: unknown }[] };
  };
  const { state, dns } = parseInput(composition.spec.pipeline[0]?.input);

  it('the bucket of Workspaces that tofu/ makes is the one that the Composition names', () => {
    expect(read('environment/tofu/buckets.tf')).toContain(`workspaces   = "${state.bucket}"`);
    expect(read('environment/tofu/buckets.tf')).toContain(`environments = "${STATE_BUCKET}"`);
  });

  it('the store is the same one', () => {
    expect(read('environment/tofu/providers.tf')).toContain(`minio_region   = "${state.region}"`);
    expect(`https://${/minio_server +="?.*"(.*)"/.exec(read('environment/tofu/providers.tf'))?.[1] ?? ''}`).toBe(
      state.endpoint,
    );
    expect(read('environment/tofu/backend.tf')).toContain(`endpoints = { s3 = "${state.endpoint}" }`);
  });

  it('the internal zone is the same one', () => {
    expect(dns?.zones).toEqual(['int.kueber.eu']);
    for (const file of ['netbird/variables.tf', 'home/variables.tf'])
      expect(read('environment', file)).toContain('default     = "int.kueber.eu"');
  });

  it('production reads the state that netbird writes', () => {
    const settings = (text: string): string[] =>
      text
        .split('\n')
        .map(line => line.trim().replace(/ +=/, ' ='))
        .filter(line => / = /.test(line) && !line.includes('use_lockfile') && !line.includes('config ='))
        .sort();
    const [, config = ''] = /^ {2}config = \{\n(.*?)^ {2}\}/ms.exec(read('environment/production/netbird.tf')) ?? [];
    expect(settings(config)).toEqual(settings(read('environment/netbird/backend.tf')));
  });
});

it('what must outlive a mistake has prevent_destroy', () => {
  const guarded = FILES.filter(file => file.endsWith('.tf')).flatMap(file =>
    [...read(file).matchAll(/^resource "(\w+)" "(\w+)" \{\n(.*?)^\}/gms)].map(
      ([, type = '', name = '', body = '']) => ({
        resource: `${file}: ${type}.${name}`,
        type,
        guarded: /^ {4}prevent_destroy = true$/m.test(body),
      }),
    ),
  );
  const types = ['minio_s3_bucket', 'proxmox_virtual_environment_vm', 'hcloud_primary_ip', 'unifi_network'];
  types.push('netbird_dns_zone');
  const found = guarded.filter(({ type }) => types.includes(type));
  expect(new Set(found.map(({ type }) => type))).toEqual(new Set(types));
  for (const { resource, guarded: is } of found) expect({ resource, guarded: is }).toEqual({ resource, guarded: true });
  const edge = guarded.find(({ resource }) => resource.startsWith('environment/edge/server.tf'));
  expect(edge?.guarded).toBe(true);
});

it('nothing empties a bucket', () => {
  for (const file of FILES.filter(name => name.endsWith('.tf'))) expect(read(file)).not.toMatch(/force_destroy/);
});

it('nothing uses what belongs to the second site', () => {
  for (const file of FILES)
    expect({ file, text: read(file) }).not.toMatchObject({
      text: expect.stringMatching(/\b10\.20\.|vlan += 2[1-3][0-9]\b/) as unknown,
    });
});
