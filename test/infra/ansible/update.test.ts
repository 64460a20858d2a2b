import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Site } from './site.ts';

const playbook = 'proxmox_update.yml';
const host = 'proxmox-1';
const link = '/root/.ssh/authorized_keys';
const file = '/etc/pve/priv/authorized_keys';
const site = new Site();

const keys = (): string[] => site.on(host, `cat ${file}`).trim().split('\n').sort();
const variables = (values: Readonly<Record<string, unknown>>): string[] => ['-e', JSON.stringify(values)];
const keysOnly = ['--tags', 'authorized-keys'];
const upgradesOnly = ['--tags', 'apt-upgrades'];

// One story, in order: each test starts from what the one before it left.
describe('proxmox_update.yml', { timeout: 1_200_000 }, () => {
  beforeAll(() => {
    site.start(host);
    // As the commissioning leaves it.
    site.on(
      host,
      "sed -i 's/^Types/Enabled: no\\nTypes/' /etc/apt/sources.list.d/pve-enterprise.sources /etc/apt/sources.list.d/ceph.sources && " +
        "sed 's|file:/srv/debian|file:/srv/proxmox|; s|main|pve-no-subscription|' /etc/apt/sources.list.d/debian.sources " +
        '>/etc/apt/sources.list.d/proxmox.sources && apt-get -qq update',
    );
  });
  afterAll(() => {
    site.stop();
  });

  test('--check --diff on a fresh host works and changes nothing', () => {
    const before = site.files(host);
    const { status, output, recap } = site.play(playbook, [host], '--check', '--diff');
    expect(status, output).toBe(0);
    expect(recap[host]).toMatchObject({ changed: 1, failed: 0 });
    expect(site.files(host)).toBe(before);
    expect(site.on(host, "dpkg-query -W -f '${Version}' proxmox-ve")).toBe('9.0.0');
  });

  test('an upgrade that would remove what must stay is refused', () => {
    site.on(host, 'apt-get -qq install --yes stand-in-guest');
    const never = variables({ apt_upgrades_never_remove: ['proxmox-ve', 'stand-in-guest'] });
    const { status, output } = site.play(playbook, [host], ...upgradesOnly, ...never);
    expect(status).not.toBe(0);
    expect(output).toContain('proxmox-1: the upgrade would remove stand-in-guest. Nothing was upgraded.');
    expect(site.on(host, "dpkg-query -W -f '${Version}' proxmox-ve")).toBe('9.0.0');
    site.on(host, 'dpkg --purge stand-in-guest');
  });

  test('upgrades through the signed archive, and says that the new kernel needs a reboot', () => {
    const { status, output } = site.play(playbook, [host]);
    expect(status, output).toBe(0);
    expect(site.on(host, "dpkg-query -W -f '${Version}' proxmox-ve")).toBe('9.1.0');
    expect(output).toMatch(/proxmox-1 needs a reboot \(kernel \S+ runs, 99\.0\.0-1-pve is installed\)/);
  });

  test('a second run changes nothing', () => {
    const { status, output, recap } = site.play(playbook, [host]);
    expect(status, output).toBe(0);
    expect(recap[host]).toMatchObject({ changed: 0, failed: 0 });
  });

  test('keys are added through the link, and the keys of the cluster stay', () => {
    expect(site.on(host, `readlink ${link}`)).toBe(`${file}\n`);
    expect(keys()).toEqual([site.publicKey('key'), site.publicKey('node'), site.publicKey('former')].sort());
  });

  test('a revoked key goes, a login is proven, the others stay', () => {
    const revoke = variables({ authorized_keys_revoked: [site.publicKey('former')] });
    const first = site.play(playbook, [host], ...keysOnly, ...revoke);
    expect(first.status, first.output).toBe(0);
    expect(keys()).toEqual([site.publicKey('key'), site.publicKey('node')].sort());
    expect(site.on(host, `readlink ${link}`)).toBe(`${file}\n`);
    const second = site.play(playbook, [host], ...keysOnly, ...revoke);
    expect(second.recap[host]).toMatchObject({ changed: 0, failed: 0 });
  });

  test('a change that locks this run out is taken back', () => {
    // The operator's list names another key than the one that this run logs in with.
    const { status, output } = site.play(
      playbook,
      [host],
      ...keysOnly,
      ...variables({ authorized_keys_keys: [site.publicKey('former')], authorized_keys_exclusive: true }),
    );
    expect(status).not.toBe(0);
    expect(output).toContain('without the removed keys a login failed, so the file was put back');
    expect(keys()).toContain(site.publicKey('key'));
    expect(keys()).toContain(site.publicKey('node'));
    expect(site.on(host, `readlink ${link}`)).toBe(`${file}\n`);
  });
});
