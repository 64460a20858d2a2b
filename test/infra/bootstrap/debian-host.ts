/**
 * A Debian host with a real systemd, sshd and apt in the place of a machine of site.yaml: those of site 1's tests
 * (test/infra/ansible/hosts.sh), played on with this site's inventory.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Site } from '../../../infra/bootstrap/site/site.ts';
import { BOOTSTRAP, REPOSITORY, writeSite } from './site-fixture.ts';

const HOSTS = join(REPOSITORY, 'test/infra/ansible/hosts.sh');

export function hostsCanRun(): boolean {
  const missing = ['debootstrap', 'systemd-nspawn', 'ip', 'ansible-playbook'].filter(
    command => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', command]).status !== 0,
  );
  if (process.getuid?.() === 0 && missing.length === 0) return true;
  const why = `test hosts need root and ${missing.join(', ')}`;
  if (process.env['CI'] !== undefined) throw new Error(why);
  process.stderr.write(`skipped: ${why}\n`);
  return false;
}

export interface Played {
  readonly code: number | null;
  readonly text: string;
  readonly changed: number;
}

export class DebianHost {
  readonly #work = mkdtempSync(join(tmpdir(), 'bootstrap-host-'));
  readonly #name: string;
  readonly #address: string;

  /** Each test file takes another address: all hosts of one file live in one network namespace. */
  constructor(name: string, address: string) {
    this.#name = name;
    this.#address = address;
    execFileSync(HOSTS, ['base'], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync(HOSTS, ['start', this.#work, name, 'grub', address], { stdio: 'inherit' });
  }

  startTime(): void {
    execFileSync(HOSTS, ['time', this.#work], { stdio: 'inherit' });
  }

  stop(): void {
    execFileSync(HOSTS, ['stop', this.#work], { stdio: 'inherit' });
  }

  /** The host's own playbook, told only where the host is and which archives and clock it can reach. */
  play(playbook: string, options: { change?: (site: Site) => void; args?: readonly string[] } = {}): Played {
    const site = writeSite(join(this.#work, 'site.yaml'), options.change ?? (() => undefined));
    const variables = {
      ansible_host: this.#address,
      ansible_ssh_private_key_file: join(this.#work, 'key'),
      chrony_servers: ['127.0.0.1'],
      chrony_pools: [],
      pve_repositories_uri: 'file:/srv/proxmox',
      // Where a playbook logs in as a user: the test hosts have no sudo.
      ansible_become_method: 'su',
    };
    const args = [`playbooks/${playbook}`, '--limit', this.#name, '-e', JSON.stringify(variables)];
    const { status, stdout, stderr } = spawnSync(
      HOSTS,
      ['run', this.#work, 'ansible-playbook', ...args, ...(options.args ?? [])],
      {
        cwd: join(BOOTSTRAP, 'ansible'),
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        env: {
          ...process.env,
          BOOTSTRAP_SITE: site,
          BOOTSTRAP_RECORDS: this.#work,
          ANSIBLE_NOCOLOR: '1',
          ANSIBLE_SSH_CONTROL_PATH_DIR: join(this.#work, 'control'),
          KALI_PASSWORD: 'a-password-of-tests',
        },
      },
    );
    const changed = /changed=(\d+)/.exec(stdout)?.[1];
    return { code: status, text: stdout + stderr, changed: Number(changed) };
  }

  /** Over a login of its own; an error when it fails. */
  on(command: string, user = 'root'): string {
    const options = ['-F', 'none', '-i', join(this.#work, 'key'), '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5'];
    const known = ['-o', `UserKnownHostsFile=${this.#work}/known_hosts`];
    const login = ['ssh', ...options, ...known, `${user}@${this.#address}`, command];
    const { status, stdout, stderr } = spawnSync(HOSTS, ['run', this.#work, ...login], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${this.#name}: ${command}: exit code ${status ?? 'none'}: ${stderr}`);
    return stdout;
  }

  write(path: string, text: string, mode = 0o644): void {
    const file = join(this.#work, this.#name, 'root', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  }

  /** Programs of a folder beside this file. */
  installStandIns(folder: string): void {
    const from = fileURLToPath(new URL(folder, import.meta.url));
    for (const name of readdirSync(from)) {
      const file = join(this.#work, this.#name, 'root/usr/sbin', name);
      copyFileSync(join(from, name), file);
      chmodSync(file, 0o755);
    }
  }

  /** Every file under /etc with its content's sum: what a check run must leave alone. */
  files(): string {
    return this.on('find /etc /var/lib/stand-in* -xdev -type f -exec sha256sum {} + 2> /dev/null | sort -k 2');
  }
}
