/**
 * The OpenWrt VPN gateway, over SSH. What goes to the device goes through the stdin of `sh -s`: neither this machine's
 * process list nor the device's shows a value.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Site } from '../site/site.ts';
import { withAgent } from './agent.ts';
import type { Values } from './generate.ts';

export interface RouterSecrets {
  readonly router: Values;
  readonly ssh: Values;
}

const RECORDS = process.env['BOOTSTRAP_RECORDS'] ?? fileURLToPath(new URL('../records', import.meta.url));

/** Does the gateway run with the key of these secrets? An unreachable device is an error, not a no. */
export async function isProvisioned(site: Site, secrets: RouterSecrets): Promise<boolean> {
  const script = 'wg show wg0 public-key 2>/dev/null || echo none\n';
  return (await runOnRouter(site, secrets, script)).trim() === valueOf(secrets.router, 'wireguard_public_key');
}

export async function provision(site: Site, secrets: RouterSecrets): Promise<void> {
  await runOnRouter(site, secrets, printProvisionScript(site, secrets));
}

/** Every line may run twice: a run that was cut off is started again from the top. */
export function printProvisionScript(site: Site, { router, ssh }: RouterSecrets): string {
  const { vpn } = site;
  const variables = {
    authorized: valueOf(ssh, 'public_key'),
    password: valueOf(router, 'root_password'),
    private_key: valueOf(router, 'wireguard_private_key'),
    peer_key: valueOf(router, 'operator_public_key'),
    preshared: valueOf(router, 'preshared_key'),
    address: `${vpn.router}/${vpn.subnet.split('/')[1] ?? ''}`,
    peer: `${vpn.operator}/32`,
    port: vpn.port.toString(),
    name: site.router.name,
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  return `${[...assignments, PROVISION].join('\n')}\n`;
}

// The key comes first: whatever happens afterwards, the next run gets in. In ash a here-document is a pipe, no file.
const PROVISION = `set -eu
umask 077
[ -f /etc/openwrt_release ] || { echo 'this is not an OpenWrt device, nothing was changed' >&2; exit 3; }
mkdir -p /etc/dropbear
touch /etc/dropbear/authorized_keys
grep -qxF "$authorized" /etc/dropbear/authorized_keys || echo "$authorized" >> /etc/dropbear/authorized_keys
command -v wg > /dev/null || apk add wireguard-tools || { opkg update && opkg install wireguard-tools; }
uci batch <<EOF
set system.@system[0].hostname=$name
set network.wg0=interface
set network.wg0.proto=wireguard
set network.wg0.private_key=$private_key
set network.wg0.listen_port=$port
delete network.wg0.addresses
add_list network.wg0.addresses=$address
set network.operator=wireguard_wg0
set network.operator.public_key=$peer_key
set network.operator.preshared_key=$preshared
delete network.operator.allowed_ips
add_list network.operator.allowed_ips=$peer
set firewall.vpn=zone
set firewall.vpn.name=vpn
set firewall.vpn.network=wg0
set firewall.vpn.input=ACCEPT
set firewall.vpn.output=ACCEPT
set firewall.vpn.forward=REJECT
set firewall.vpn_in=rule
set firewall.vpn_in.name=Allow-VPN
set firewall.vpn_in.src=wan
set firewall.vpn_in.proto=udp
set firewall.vpn_in.dest_port=$port
set firewall.vpn_in.target=ACCEPT
commit system
commit network
commit firewall
EOF
printf '%s\\n%s\\n' "$password" "$password" | passwd root > /dev/null
/etc/init.d/network reload
/etc/init.d/firewall reload`;

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

function valueOf(values: Values, key: string): string {
  const value = values[key];
  if (value === undefined) throw new Error(`there is no ${key}`);
  return value;
}

async function runOnRouter(site: Site, secrets: RouterSecrets, script: string): Promise<string> {
  const address = await findRouter(site);
  return withAgent(valueOf(secrets.ssh, 'private_key'), agent => ssh(site, address, agent, script));
}

/** Through the VPN where that is up; the factory's address may belong to another network's router by then. */
async function findRouter(site: Site): Promise<string> {
  const { address, factory_address: factory, port } = site.router;
  for (const candidate of [address, factory]) {
    if (await answers(candidate, port)) return candidate;
  }
  throw new Error(`${site.router.name} answers neither at ${address} (VPN) nor at ${factory} (factory), port ${port}`);
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: 3_000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => {
      end(true);
    });
    socket.on('timeout', () => {
      end(false);
    });
    socket.on('error', () => {
      end(false);
    });
  });
}

function ssh(site: Site, address: string, agent: string, script: string): Promise<string> {
  const { name, port, user } = site.router;
  const options = {
    // A router that was replaced has another host key: that must be looked at, not learned.
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: join(RECORDS, 'known_hosts'),
    HostKeyAlias: name,
    BatchMode: 'yes',
    ConnectTimeout: '10',
    IdentityAgent: agent,
    LogLevel: 'ERROR',
  };
  const flags = Object.entries(options).flatMap(([option, value]) => ['-o', `${option}=${value}`]);
  return new Promise((resolve, reject) => {
    const child = spawn('ssh', ['-F', 'none', ...flags, '-p', port.toString(), `${user}@${address}`, 'sh -s'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`ssh to ${name} at ${address} ended with ${code}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(script);
  });
}
