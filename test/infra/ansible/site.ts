import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ansible, repository, type Run } from './ansible.ts';

const hostsScript = `${repository}test/infra/ansible/hosts.sh`;

export type BootLoader = 'grub' | 'systemd-boot';

const hosts = {
  'proxmox-1': { address: '127.0.0.11', bootLoader: 'grub' },
  'proxmox-2': { address: '127.0.0.12', bootLoader: 'systemd-boot' },
} as const satisfies Record<string, { address: string; bootLoader: BootLoader }>;

export type TestHost = keyof typeof hosts;

/**
 * Test hosts in the place of hypervisors, under their names in the real inventory: a second inventory only says where
 * they are and which archives and clock they can reach. `hosts.sh` says what in them is a stand-in.
 */
export class Site {
  readonly work = mkdtempSync(join(tmpdir(), 'infra-ansible-'));

  start(...names: TestHost[]): void {
    for (const name of names) {
      const { bootLoader, address } = hosts[name];
      execFileSync(hostsScript, ['start', this.work, name, bootLoader, address], { stdio: 'inherit' });
    }
    // Of one host each: what group_vars says would win over the group here.
    const variables = {
      ansible_ssh_private_key_file: `${this.work}/key`,
      ansible_ssh_common_args: `-F none -o UserKnownHostsFile=${this.work}/known_hosts -o BatchMode=yes`,
      // Elsewhere a connection that is kept open to the same address of another site would be taken for this one.
      ansible_control_path_dir: `${this.work}/control`,
      authorized_keys_keys: [this.publicKey('key')],
      chrony_servers: ['127.0.0.1'],
      chrony_pools: [],
      pve_repositories_uri: 'file:/srv/proxmox',
    };
    const overlay = names.map(name => [name, { ansible_host: hosts[name].address, ...variables }] as const);
    writeFileSync(join(this.work, 'site.yml'), stringify({ proxmox: { hosts: Object.fromEntries(overlay) } }));
  }

  startTime(): void {
    execFileSync(hostsScript, ['time', this.work], { stdio: 'inherit' });
  }

  stop(): void {
    execFileSync(hostsScript, ['stop', this.work], { stdio: 'inherit' });
  }

  /** `ansible-playbook playbooks/<name>` on these hosts, with further arguments. */
  play(playbook: string, limit: readonly TestHost[], ...args: string[]): Run {
    return ansible(
      'ansible-playbook',
      [
        '-i',
        'inventory.yml',
        '-i',
        `${this.work}/site.yml`,
        `playbooks/${playbook}`,
        '--limit',
        limit.join(','),
        ...args,
      ],
      [hostsScript, 'run', this.work],
    );
  }

  publicKey(name: 'key' | 'node' | 'former'): string {
    return readFileSync(join(this.work, `${name}.pub`), 'utf8').trim();
  }

  /** Runs a command on the host, as root, over a login of its own. */
  on(host: TestHost, command: string): string {
    const { status, stdout, stderr } = this.ssh(host, command);
    if (status !== 0) throw new Error(`${host}: ${command}: exit code ${status ?? 'none'}: ${stderr}`);
    return stdout;
  }

  reboot(host: TestHost): void {
    const bootId = 'cat /proc/sys/kernel/random/boot_id';
    const before = this.on(host, bootId);
    this.ssh(host, 'systemctl reboot');
    for (let tries = 0; tries < 240; tries++) {
      const { status, stdout } = this.ssh(host, bootId);
      if (status === 0 && stdout !== before) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
    throw new Error(`${host} did not come back`);
  }

  private ssh(host: TestHost, command: string): SpawnSyncReturns<string> {
    const options = ['-F', 'none', '-i', `${this.work}/key`, '-o', `UserKnownHostsFile=${this.work}/known_hosts`];
    const patience = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5'];
    const login = ['ssh', ...options, ...patience, `root@${hosts[host].address}`, command];
    return spawnSync(hostsScript, ['run', this.work, ...login], { encoding: 'utf8' });
  }

  /** Every file under /etc and /boot with its content's sum: what a check run must leave alone. */
  files(host: TestHost): string {
    return this.on(host, 'find /etc /boot -xdev -type f -exec sha256sum {} + | sort -k 2');
  }
}
