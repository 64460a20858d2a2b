/**
 * A stand-in for an OpenWrt router: the real sshd in a network namespace, in front of a root with BusyBox (the real ash,
 * sha512sum, start-stop-daemon) and stand-ins for uci, passwd, wg show and the init scripts, in bin/ and init.d/.
 * Needs root, iproute2, busybox-static, openssh-server, wireguard-tools.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

export const ROUTER_NEEDS = ['/usr/bin/busybox', '/usr/sbin/sshd', '/usr/bin/wg', '/usr/sbin/ip'];

export function routerCanRun(): boolean {
  const missing = ROUTER_NEEDS.filter(file => !existsSync(file) && !existsSync(file.replace('/usr/sbin', '/sbin')));
  if (process.getuid?.() === 0 && missing.length === 0) return true;
  const why = `root and ${ROUTER_NEEDS.join(', ')} are needed for the router`;
  if (process.env['CI'] !== undefined) throw new Error(why);
  process.stderr.write(`skipped: ${why}\n`);
  return false;
}

export class Router {
  /** What the device has as its file system. */
  readonly root: string;
  readonly address: string;
  readonly #name: string;
  readonly #sshd: ChildProcess;

  private constructor(root: string, address: string, name: string, sshd: ChildProcess) {
    this.root = root;
    this.address = address;
    this.#name = name;
    this.#sshd = sshd;
  }

  /** Each test file takes another network, so that two can run at once. */
  static async start(network: string): Promise<Router> {
    // sshd wants every folder above its files to be writable by root alone, which /tmp is not.
    const folder = mkdtempSync('/run/router-');
    const root = join(folder, 'root');
    buildRoot(root, `${network}.1/24`);
    const name = `rt${process.pid % 100_000}`;
    run('ip', 'netns', 'add', name);
    run('ip', 'link', 'add', `${name}h`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    run('ip', 'addr', 'add', `${network}.2/24`, 'dev', `${name}h`);
    run('ip', 'link', 'set', `${name}h`, 'up');
    for (const args of ['link set lo up', 'link set eth0 up', `addr add ${network}.1/24 dev eth0`]) {
      run('ip', '-n', name, ...args.split(' '));
    }
    const config = configureSshd(folder, root);
    const sshd = spawn('ip', ['netns', 'exec', name, '/usr/sbin/sshd', '-D', '-e', '-f', config], {
      stdio: ['ignore', 'ignore', process.env['ROUTER_LOG'] === undefined ? 'ignore' : 'inherit'],
      detached: true,
    });
    const router = new Router(root, `${network}.1`, name, sshd);
    await router.#waitForPort();
    return router;
  }

  async #waitForPort(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (await this.reachable()) return;
      await sleep(50);
    }
    throw new Error('sshd of the router did not start');
  }

  reachable(): Promise<boolean> {
    return new Promise(resolve => {
      const socket = connect({ host: this.address, port: 22, timeout: 500 });
      const end = (answer: boolean): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.on('connect', () => {
        end(true);
      });
      for (const event of ['timeout', 'error']) {
        socket.on(event, () => {
          end(false);
        });
      }
    });
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** A program of the product. */
  install(file: string, path: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    copyFileSync(file, join(this.root, path));
    chmodSync(join(this.root, path), 0o755);
  }

  uci(path: string): string {
    return this.shell(`uci get ${path}`);
  }

  /** Out of the box again. */
  reset(): void {
    for (const path of ['etc/dropbear', 'etc/bootstrap', 'run/applied', 'var/log/stand-in', 'etc/stand-in/strict']) {
      rmSync(join(this.root, path), { recursive: true, force: true });
    }
    writeFactorySettings(this.root);
  }

  /** On the device, past SSH: as at its serial console. */
  shell(script: string): string {
    return execFileSync('ip', ['netns', 'exec', this.#name, 'chroot', this.root, '/bin/sh', '-c', script], {
      encoding: 'utf8',
      env: { PATH: '/bin:/sbin' },
    }).trim();
  }

  stop(): void {
    // Whatever runs in the namespace: the server, and what a session left behind on the device.
    for (const pid of spawnSync('ip', ['netns', 'pids', this.#name], { encoding: 'utf8' }).stdout.split('\n')) {
      if (pid !== '') spawnSync('kill', ['-9', pid]);
    }
    this.#sshd.kill('SIGKILL');
    spawnSync('umount', [join(this.root, 'proc')]);
    spawnSync('ip', ['netns', 'del', this.#name]);
    spawnSync('ip', ['link', 'del', `${this.#name}h`]);
    rmSync(dirname(this.root), { recursive: true, force: true });
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function buildRoot(root: string, address: string): void {
  for (const folder of [
    'bin',
    'sbin',
    'dev',
    'proc',
    'etc/config',
    'etc/init.d',
    'etc/stand-in',
    'root',
    'run',
    'tmp',
    'var/log',
    'var/run',
    'usr/bin',
    'usr/sbin',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
  run('chroot', root, '/bin/busybox', '--install', '-s', '/bin');
  copyInto(root, 'bin', 'bin');
  copyInto(root, 'init.d', 'etc/init.d');
  copyFileSync('/usr/bin/wg', join(root, 'bin/wg-real'));
  const libraries = execFileSync('ldd', ['/usr/bin/wg'], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const library of libraries.filter(each => existsSync(each))) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  // Stand-in for OpenWrt's: enabling an init script leaves a mark, another word calls the script's own function.
  writeFileSync(
    join(root, 'etc/rc.common'),
    'script=$1\n. "$script"\ncase $2 in enable | disable) echo "${script##*/} $2" >> /var/log/stand-in ;; *) "$2" ;; esac\n',
  );
  writeFileSync(join(root, 'dev/null'), '');
  writeFactorySettings(root);
  writeFileSync(join(root, 'etc/stand-in/address'), `${address}\n`);
  chmodSync(join(root, 'tmp'), 0o1777);
  run('mount', '-t', 'proc', 'proc', join(root, 'proc'));
}

function writeFactorySettings(root: string): void {
  const files: Readonly<Record<string, string>> = {
    'etc/openwrt_release': "DISTRIB_ID='OpenWrt'\nDISTRIB_RELEASE='24.10.0'\n",
    'etc/passwd': 'root::0:0:root:/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'etc/config/system': "\nconfig system\n\toption hostname 'OpenWrt'\n",
    'etc/config/network':
      "\nconfig interface 'loopback'\n\toption device 'lo'\n\nconfig interface 'lan'\n\toption device 'br-lan'\n\toption ipaddr '192.168.1.1'\n",
    'etc/config/firewall': "\nconfig defaults\n\toption input 'REJECT'\n",
    'etc/config/dhcp': "\nconfig dnsmasq\n\toption domain 'lan'\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
}

function copyInto(root: string, from: string, to: string): void {
  for (const file of readdirSync(join(here, from))) {
    const target = join(root, to, file);
    rmSync(target, { force: true });
    copyFileSync(join(here, from, file), target);
    chmodSync(target, 0o755);
  }
}

/** A fresh OpenWrt has no password and lets everybody in; from its first key on, only who has that. */
function configureSshd(folder: string, root: string): string {
  const keys = join(root, 'etc/dropbear/authorized_keys');
  const script = join(folder, 'keys.sh');
  writeFileSync(script, `#!/bin/sh\nif [ -s ${keys} ]; then cat ${keys}; else echo "$1 $2"; fi\n`);
  chmodSync(script, 0o755);
  const session = join(folder, 'session.sh');
  // BusyBox's shell takes an applet of its own before any file of that name, so a script on stdin is told of the stand-in.
  const device = `env -i PATH=/bin:/sbin HOME=/root USER=root chroot ${root} /bin/sh`;
  writeFileSync(
    session,
    `#!/bin/sh
case $SSH_ORIGINAL_COMMAND in
  'sh -s') { echo 'passwd() { /bin/passwd "$@"; }'; cat; } | ${device} -s ;;
  *) exec ${device} -c "$SSH_ORIGINAL_COMMAND" ;;
esac
`,
  );
  chmodSync(session, 0o755);
  run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host'));
  mkdirSync('/run/sshd', { recursive: true });
  const config = join(folder, 'sshd_config');
  const lines = [
    'Port 22',
    'ListenAddress 0.0.0.0',
    `HostKey ${join(folder, 'host')}`,
    `PidFile ${join(folder, 'pid')}`,
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'AuthorizedKeysFile none',
    `AuthorizedKeysCommand ${script} %t %k`,
    'AuthorizedKeysCommandUser root',
    `ForceCommand ${session}`,
    'UseDNS no',
    'UsePAM no',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  return config;
}
