/**
 * Phase 2's playbook on a Debian host: real systemd, apt, chrony and SSH; the tools of Proxmox VE, ZFS and ifupdown2 are
 * stand-ins (hypervisor/), for want of disks and of Proxmox's packages, and so is the bridge: this kernel may have none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSite } from '../../../infra/bootstrap/site/site.ts';
import { DebianHost, hostsCanRun } from './debian-host.ts';
import { BOOTSTRAP } from './site-fixture.ts';

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });

const site = readSite();
const NAME = 'north-pve-1';
const address = site.hypervisors[NAME]?.address ?? '';
const INSTALLED = `auto lo\niface lo inet loopback\n\nauto vmbr0\niface vmbr0 inet static\n\taddress ${address}/24\n`;

const role = (file: string): string => readFileSync(join(BOOTSTRAP, 'ansible/roles/vlan_bridge/files', file), 'utf8');

// One story, in order: each test starts from what the one before it left.
describe.skipIf(!hostsCanRun())('baseline of a hypervisor', () => {
  let host: DebianHost;

  beforeAll(() => {
    host = new DebianHost(NAME, '127.0.0.31');
    host.startTime();
    host.installStandIns('hypervisor');
    host.write('etc/stand-in-address', address);
    host.write('etc/network/interfaces', INSTALLED);
  });
  afterAll(() => {
    host.stop();
  });

  it('in check mode on a fresh host works, and changes nothing', () => {
    const before = host.files();
    const { code, text, changed } = host.play('proxmox.yml', { args: ['--check'] });
    expect(code, text).toBe(0);
    expect(changed).toBeGreaterThan(0);
    expect(host.files()).toBe(before);
    expect(host.on('cat /var/log/stand-ins')).not.toMatch(/create|add |ifreload/);
    const check = host.play('proxmox-check.yml');
    expect(check.code, check.text).toBe(2);
  });

  it('comes about, and a second run changes nothing', () => {
    const first = host.play('proxmox.yml');
    expect(first.code, first.text).toBe(0);
    expect(host.on('cat /etc/network/interfaces')).toContain(
      `auto vmbr0.210\niface vmbr0.210 inet static\n\taddress ${address}/24\n\tgateway 10.20.210.1\n`,
    );
    expect(host.on('cat /etc/network/interfaces')).toContain('bridge-vids 210 220 230 240\n');
    expect(host.on('systemctl list-units --all --no-legend "bootstrap-*"')).toBe('');
    const asked = host.on('cat /var/log/stand-ins').split('\n');
    expect(asked.filter(line => /zpool create|pvesm add/.test(line))).toHaveLength(2);
    expect(asked.join('\n')).not.toMatch(/-f\b|force|labelclear/);
    const second = host.play('proxmox.yml');
    expect(second.code, second.text).toBe(0);
    expect(second.changed, second.text).toBe(0);
    // What a kernel with a bridge would say there.
    host.on('mount -t tmpfs tmpfs /sys/class/net && mkdir -p /sys/class/net/vmbr0/bridge');
    host.on('echo 0 > /sys/class/net/vmbr0/bridge/vlan_filtering');
    expect(host.play('proxmox-check.yml').code).toBe(2);
    host.on('echo 1 > /sys/class/net/vmbr0/bridge/vlan_filtering');
    const check = host.play('proxmox-check.yml');
    expect(check.code, check.text).toBe(0);
  });

  it('takes a network configuration back that cuts the link', async () => {
    const before = host.on('cat /etc/network/interfaces');
    const { code, text } = host.play('proxmox.yml', {
      change: changed => {
        changed.hypervisors[NAME] = { ...changed.hypervisors[NAME], address: '10.20.210.99' } as never;
      },
      args: [
        '-e',
        '{"vlan_bridge_rollback_after": 30}',
        '--start-at-task',
        'Write what would be the network configuration',
      ],
    });
    expect(code, text).not.toBe(0);
    expect(text).toContain('Reach the host anew');
    await reachable();
    expect(host.on('cat /etc/network/interfaces')).toBe(before);
    expect(host.on('tail -n 1 /var/log/stand-ins')).toBe('ifreload -a\n');
    const again = host.play('proxmox.yml');
    expect(again.code, again.text).toBe(0);
  });

  it('keeps the way back while a change waits for its confirmation', async () => {
    const before = host.on('cat /etc/network/interfaces');
    host.write('etc/network/interfaces.bootstrap', `${before}# candidate\n`);
    host.write('root/change', role('change.sh'), 0o755);
    host.write('root/keep', role('keep.sh'), 0o755);
    host.on('/root/change /etc/network/interfaces 30');
    expect(() => host.on('/root/change /etc/network/interfaces 30')).toThrow('another change waits');
    await sleep(35_000);
    expect(host.on('cat /etc/network/interfaces')).toBe(before);
    expect(() => host.on('/root/keep')).toThrow('too late');
  });

  async function reachable(): Promise<void> {
    for (let tries = 0; tries < 240; tries += 1) {
      try {
        host.on('true');
        return;
      } catch {
        await sleep(500);
      }
    }
    throw new Error('the host did not come back');
  }
});
