import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Site, type TestHost } from './site.ts';

const playbook = 'proxmox_commissioning.yaml';
const both: readonly TestHost[] = ['proxmox-1', 'proxmox-2'];
const consent = ['-e', 'igpu_passthrough_reboot=true'];
const site = new Site();

// One story, in order: each test starts from what the one before it left.
describe('proxmox_commissioning.yaml, from a fresh host to a proven one', { timeout: 1_200_000 }, () => {
  beforeAll(() => {
    site.start(...both);
    site.startTime();
  });
  afterAll(() => {
    site.stop();
  });

  test('--check --diff on fresh hosts works, shows what would change and changes nothing', () => {
    const before = both.map(host => site.files(host));
    const { status, output, recap } = site.play(playbook, both, '--check', '--diff');
    expect(status, output).toBe(0);
    expect(output).toContain('+GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT intel_iommu=on iommu=pt"');
    expect(output).toContain('+root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet intel_iommu=on iommu=pt');
    expect(recap['proxmox-1']?.changed).toBeGreaterThan(0);
    expect(recap['proxmox-2']?.changed).toBeGreaterThan(0);
    expect(both.map(host => site.files(host))).toEqual(before);
  });

  test('without consent it configures the first host, says that a reboot is due, and leaves the next one alone', () => {
    const before = site.files('proxmox-2');
    const { status, output, recap } = site.play(playbook, both);
    expect(status).not.toBe(0);
    expect(output).toContain(
      'proxmox-1 is configured, but its running kernel lacks intel_iommu=on iommu=pt (/proc/cmdline: ' +
        'BOOT_IMAGE=/boot/vmlinuz root=/dev/mapper/pve-root ro console=ttyS0,115200 quiet mitigations=auto). ' +
        'It needs a reboot: move its VMs away, then run again with -e igpu_passthrough_reboot=true.',
    );
    expect(recap['proxmox-2']).toBeUndefined();
    expect(site.files('proxmox-2')).toBe(before);
  });

  test('a host with a running VM is not rebooted, consent or not', () => {
    site.on('proxmox-1', 'mkdir -p /run/qemu-server && touch /run/qemu-server/101.pid');
    const bootId = site.on('proxmox-1', 'cat /proc/sys/kernel/random/boot_id');
    const { status, output } = site.play(playbook, ['proxmox-1'], '--tags', 'igpu-passthrough', ...consent);
    expect(status).not.toBe(0);
    expect(output).toContain('proxmox-1: will not reboot while VMs run here: 101.');
    expect(site.on('proxmox-1', 'cat /proc/sys/kernel/random/boot_id')).toBe(bootId);
    site.on('proxmox-1', 'rm /run/qemu-server/101.pid');
  });

  test('firmware without VT-d is told from a missing reboot', () => {
    const switchedOff = join(site.work, 'proxmox-1/root/srv/hardware/firmware-without-vt-d');
    writeFileSync(switchedOff, '');
    const { status, output } = site.play(playbook, ['proxmox-1'], '--tags', 'igpu-passthrough', ...consent);
    rmSync(switchedOff);
    expect(status).not.toBe(0);
    expect(output).toContain(
      '0000:00:02.0 has no IOMMU group although the kernel was told to use the IOMMU. Switch on VT-d',
    );
    // Switched on again, it counts from the next start.
    site.reboot('proxmox-1');
  });

  test('with consent it reboots and proves both', () => {
    const { status, output, recap } = site.play(playbook, both, ...consent);
    expect(status, output).toBe(0);
    expect(recap['proxmox-1']?.failed).toBe(0);
    expect(recap['proxmox-2']?.failed).toBe(0);
  });

  test('GRUB: the running line has what was there and what was added', () => {
    expect(site.on('proxmox-1', 'cat /proc/cmdline')).toBe(
      'BOOT_IMAGE=/boot/vmlinuz root=/dev/mapper/pve-root ro console=ttyS0,115200 quiet mitigations=auto intel_iommu=on iommu=pt\n',
    );
    expect(site.on('proxmox-1', 'cat /etc/default/grub')).toContain(
      'GRUB_CMDLINE_LINUX_DEFAULT="quiet mitigations=auto"\n',
    );
    expect(site.on('proxmox-1', 'cat /var/log/stand-ins')).toContain('update-initramfs -u -k all\nupdate-grub\n');
  });

  test('systemd-boot: the running line has what was there and what was added', () => {
    expect(site.on('proxmox-2', 'cat /proc/cmdline')).toBe(
      'initrd=\\EFI\\proxmox\\initrd.img root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet intel_iommu=on iommu=pt\n',
    );
    expect(site.on('proxmox-2', 'cat /etc/kernel/cmdline')).toBe(
      'root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet intel_iommu=on iommu=pt\n',
    );
    const ran = site.on('proxmox-2', 'cat /var/log/stand-ins');
    expect(ran).toContain('update-initramfs -u -k all\nproxmox-boot-tool refresh\n');
    expect(ran).not.toContain('update-grub');
  });

  test.each(both)('%s: the GPU is with vfio-pci, chrony follows its source, apt reads the right repositories', host => {
    expect(site.on(host, 'readlink /sys/bus/pci/devices/0000:00:02.0/driver')).toBe('../../drivers/vfio-pci\n');
    expect(site.on(host, 'cat /etc/modprobe.d/igpu-passthrough.conf')).toContain('options vfio-pci ids=8086:46a6\n');
    expect(site.on(host, 'chronyc -n -c sources')).toMatch(/^\^,\*,127\.0\.0\.1,/);
    expect(site.on(host, 'apt-cache policy')).toContain('file:/srv/proxmox trixie/pve-no-subscription');
    expect(site.on(host, 'apt-cache policy')).not.toContain('enterprise');
  });

  test('a second run changes nothing', () => {
    const { status, output, recap } = site.play(playbook, both, ...consent);
    expect(status, output).toBe(0);
    expect(recap['proxmox-1']).toMatchObject({ changed: 0, failed: 0 });
    expect(recap['proxmox-2']).toMatchObject({ changed: 0, failed: 0 });
  });

  test('drift shows in --check --diff, and only there', () => {
    site.on('proxmox-2', "sed -i 's/ iommu=pt//' /etc/kernel/cmdline");
    const { status, output, recap } = site.play(playbook, ['proxmox-2'], '--check', '--diff');
    expect(status, output).toBe(0);
    expect(output).toContain('-root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet intel_iommu=on\n');
    expect(output).toContain('+root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet intel_iommu=on iommu=pt\n');
    expect(recap['proxmox-2']).toMatchObject({ changed: 1, failed: 0 });
  });

  const refusals = [
    {
      name: 'a GPU with another id',
      variables: { igpu_passthrough_pci_ids: ['8086:9a49'] },
      says: 'expected a display device (class 03) with one of the ids 8086:9a49 at 0000:00:02.0, found 8086:46a6 of class 030000',
    },
    {
      name: 'an id that is also the network card, which the host lives on',
      variables: { igpu_passthrough_pci_ids: ['8086:46a6', '8086:125c'] },
      says: 'would also take what is neither display nor audio: 0000:01:00.0 8086:125c 020000',
    },
  ];

  test.each(refusals)('refuses $name, before it changes anything', ({ variables, says }) => {
    const before = site.files('proxmox-1');
    const { status, output } = site.play(
      playbook,
      ['proxmox-1'],
      '--tags',
      'igpu-passthrough',
      '-e',
      JSON.stringify(variables),
    );
    expect(status).not.toBe(0);
    expect(output).toContain(says);
    expect(site.files('proxmox-1')).toBe(before);
  });

  test('a clock that follows nothing fails with the sources and their state', () => {
    const { status, output } = site.play(
      playbook,
      ['proxmox-1'],
      '--tags',
      'chrony',
      '-e',
      JSON.stringify({ chrony_servers: ['127.0.0.99'], chrony_proof_tries: 2, chrony_proof_interval: 1 }),
    );
    expect(status).not.toBe(0);
    expect(output).toContain('the clock follows no source after 2 looks, one every 1 s. Sources wanted: 127.0.0.99.');
    expect(output).toMatch(/\^\? 127\.0\.0\.99/);
  });
});
