/**
 * The shape of site.yaml, and what its parts must agree on.
 * In: the file. Out: a Site that phases can rely on. Imports nothing of the project; must never hold a secret.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { contains, overlap, parseAddress, parseSubnet, type Subnet } from './address.ts';

const address = z.string().refine(text => parseAddress(text) !== undefined, 'expected an IPv4 address');
const subnet = z.string().refine(text => parseSubnet(text) !== undefined, 'expected an IPv4 subnet');
/** Also a host name, a name in UCI and a key in Kubernetes. */
const name = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected lower-case letters, digits and hyphens');
/** Also the name of a firewall zone and of a section in UCI, which knows no hyphens. */
const zone = z.string().regex(/^[a-z]{2,11}$/, 'expected 2 to 11 lower-case letters');
const positive = z.int().positive();

const port = z.union([
  z.strictObject({ trunk: z.array(name).min(1), to: z.string() }),
  z.strictObject({ access: name, to: z.string() }),
]);

const machine = {
  id: positive.min(100),
  // Not "on", which YAML 1.1, that OpenTofu and Ansible read, takes for true.
  host: name,
  address,
  vlan: name,
  cores: positive,
  memory: positive,
  disks: z.array(positive).min(1),
};

const schema = z.strictObject({
  name,
  domain: z.string(),
  network: subnet,
  aws: z.strictObject({ region: z.string(), prefix: z.string().regex(/^[a-z0-9/-]+$/) }),
  state: z.strictObject({ endpoint: z.url(), region: z.string(), bucket: z.string(), prefix: z.string() }),
  vlans: z.record(
    zone,
    z.strictObject({
      id: positive.max(4094),
      subnet,
      gateway: address,
      dhcp: z.strictObject({ start: positive, limit: positive }).optional(),
    }),
  ),
  forwardings: z.array(z.strictObject({ from: name, to: name })),
  vpn: z.strictObject({
    subnet,
    port: positive.max(65535),
    router: address,
    operator: address,
    endpoint: z.string(),
  }),
  router: z.strictObject({
    name,
    factory_address: address,
    address,
    user: z.string(),
    port: positive.max(65535),
    wan: z.string(),
    ports: z.record(z.string(), port),
    rollback_after: positive.min(30),
  }),
  switch: z.strictObject({ name, model: z.string(), address, ports: z.record(z.string().regex(/^\d+$/), port) }),
  hypervisors: z.record(
    name,
    z.strictObject({
      address,
      vlan: name,
      port: z.string(),
      // By id: /dev/sdX changes with the cabling, and a mirror made on the wrong disk cannot be undone.
      pool: z.array(z.string().startsWith('/dev/disk/by-id/')).length(2),
    }),
  ),
  storage: z.strictObject({ pool: name, images: name }),
  kubernetes: z.strictObject({
    cluster: name,
    endpoint: address,
    version: z.string().regex(/^v\d+\.\d+\.\d+$/),
    talos: z.string().regex(/^v\d+\.\d+\.\d+$/),
    pods: subnet,
    services: subnet,
    bootstrap: name,
    control_planes: z.record(
      name,
      z.strictObject({ address, vlan: name, disk: z.string().startsWith('/dev/'), link: z.string() }),
    ),
    workers: z.record(name, z.strictObject(machine)),
  }),
  guests: z.record(
    name,
    z.strictObject({
      ...machine,
      role: z.enum(['kali', 'homeassistant']),
      user: name,
      image: z.string(),
    }),
  ),
});

export type Site = z.infer<typeof schema>;
export type Port = z.infer<typeof port>;

/** Says what in which file does not fit, one line each. */
export class SiteError extends Error {
  override readonly name = 'SiteError';
  readonly faults: readonly string[];
  constructor(file: string, faults: readonly string[]) {
    super(`cannot use ${file}:\n${faults.map(fault => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export const SITE_FILE = fileURLToPath(new URL('../site.yaml', import.meta.url));

/** BOOTSTRAP_SITE names another file: a drill on other hardware, or a test. */
export function readSite(file: string = process.env['BOOTSTRAP_SITE'] ?? SITE_FILE): Site {
  return parseSite(parse(readFileSync(file, 'utf8')), file);
}

export function parseSite(value: unknown, file: string): Site {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new SiteError(
      file,
      parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`),
    );
  }
  const faults = [...checkNetworks(parsed.data), ...checkHosts(parsed.data), ...checkPorts(parsed.data)];
  faults.push(...checkMachines(parsed.data), ...checkKubernetes(parsed.data));
  if (faults.length > 0) throw new SiteError(file, faults);
  return parsed.data;
}

export interface Host {
  readonly name: string;
  readonly address: string;
  readonly vlan: string;
}

/** Every host with a fixed address in a VLAN. */
export function hostsOf(site: Site): readonly Host[] {
  const entries = [site.hypervisors, site.kubernetes.control_planes, site.kubernetes.workers, site.guests];
  const hosts: Host[] = entries.flatMap((group: Readonly<Record<string, Omit<Host, 'name'>>>) =>
    Object.entries(group).map(([host, { address: at, vlan }]) => ({ name: host, address: at, vlan })),
  );
  hosts.push({ name: site.switch.name, address: site.switch.address, vlan: 'management' });
  return hosts;
}

export function virtualMachinesOf(site: Site): readonly (readonly [string, { id: number; host: string }])[] {
  return [...Object.entries(site.kubernetes.workers), ...Object.entries(site.guests)];
}

// Of what the schema has checked already.
function subnetOf(text: string): Subnet {
  const found = parseSubnet(text);
  if (found === undefined) throw new Error(`not a subnet: ${text}`);
  return found;
}

function within(text: string, at: string): boolean {
  return contains(subnetOf(text), parseAddress(at) ?? -1);
}

function checkNetworks(site: Site): string[] {
  const faults: string[] = [];
  const whole = subnetOf(site.network);
  const parts = Object.entries(site.vlans).map(([vlan, { subnet: net }]) => ({ where: `vlans.${vlan}`, net }));
  parts.push({ where: 'vpn', net: site.vpn.subnet });
  parts.push({ where: 'kubernetes.pods', net: site.kubernetes.pods });
  parts.push({ where: 'kubernetes.services', net: site.kubernetes.services });
  for (const [index, { where, net }] of parts.entries()) {
    const own = subnetOf(net);
    if (own.first < whole.first || own.last > whole.last) faults.push(`${where}: ${net} is not in ${site.network}`);
    for (const other of parts.slice(0, index)) {
      if (overlap(own, subnetOf(other.net))) faults.push(`${where}: ${net} overlaps ${other.where} ${other.net}`);
    }
  }
  for (const [vlan, { subnet: net, gateway }] of Object.entries(site.vlans)) {
    if (!within(net, gateway)) faults.push(`vlans.${vlan}.gateway: ${gateway} is not in ${net}`);
  }
  faults.push(
    ...repeated(
      'vlans',
      Object.values(site.vlans).map(vlan => vlan.id.toString()),
    ),
  );
  if (!('management' in site.vlans))
    faults.push('vlans: management is missing, the switch and the hypervisors lie in it');
  return faults;
}

function checkHosts(site: Site): string[] {
  const hosts = hostsOf(site);
  const faults = hosts.flatMap(host => {
    const net = site.vlans[host.vlan]?.subnet;
    if (net === undefined) return [`${host.name}: there is no VLAN ${host.vlan}`];
    return within(net, host.address) ? [] : [`${host.name}: ${host.address} is not in VLAN ${host.vlan}, ${net}`];
  });
  for (const [where, at] of Object.entries({ router: site.vpn.router, operator: site.vpn.operator })) {
    if (!within(site.vpn.subnet, at)) faults.push(`vpn.${where}: ${at} is not in ${site.vpn.subnet}`);
  }
  // Phase 1 moves every other address of the router; the one that it is reached at must survive that.
  if (site.router.address !== site.vpn.router)
    faults.push('router.address: expected vpn.router, the address that phase 1 leaves alone');
  const fixed = [...hosts.map(host => host.address), site.kubernetes.endpoint, site.vpn.router, site.vpn.operator];
  fixed.push(...Object.values(site.vlans).map(vlan => vlan.gateway));
  faults.push(
    ...repeated('addresses', fixed),
    ...repeated('names', [...hosts.map(host => host.name), site.router.name]),
  );
  for (const { from, to } of site.forwardings) {
    for (const zone of [from, to]) {
      if (!(zone in site.vlans) && zone !== 'vpn' && zone !== 'wan')
        faults.push(`forwardings: there is no zone ${zone}`);
    }
  }
  return faults;
}

function checkPorts(site: Site): string[] {
  const faults: string[] = [];
  const ports = [
    ...Object.entries(site.router.ports).map(([label, value]) => ({ where: `router.ports.${label}`, value })),
    ...Object.entries(site.switch.ports).map(([label, value]) => ({ where: `switch.ports.${label}`, value })),
  ];
  for (const { where, value } of ports) {
    for (const vlan of 'trunk' in value ? value.trunk : [value.access]) {
      if (!(vlan in site.vlans)) faults.push(`${where}: there is no VLAN ${vlan}`);
    }
  }
  return [...faults, ...checkCabling(site)];
}

function checkCabling(site: Site): string[] {
  const faults: string[] = [];
  const cabled = new Map(Object.values(site.switch.ports).map(value => [value.to, value]));
  for (const [host, { vlan }] of Object.entries(site.kubernetes.control_planes)) {
    const value = cabled.get(host);
    if (value === undefined || !('access' in value) || value.access !== vlan) {
      faults.push(`switch.ports: ${host} needs an access port in VLAN ${vlan}`);
    }
  }
  for (const [host, { vlan }] of Object.entries(site.hypervisors)) {
    const value = cabled.get(host);
    const needed = new Set([vlan, ...virtualMachinesOn(site, host)]);
    if (value === undefined || !('trunk' in value) || [...needed].some(each => !value.trunk.includes(each))) {
      faults.push(`switch.ports: ${host} needs a trunk port with ${[...needed].join(', ')}`);
    }
  }
  return faults;
}

function virtualMachinesOn(site: Site, host: string): string[] {
  return [...Object.values(site.kubernetes.workers), ...Object.values(site.guests)]
    .filter(each => each.host === host)
    .map(each => each.vlan);
}

function checkMachines(site: Site): string[] {
  const machines = virtualMachinesOf(site);
  const faults = machines
    .filter(([, { host: on }]) => !(on in site.hypervisors))
    .map(([host, { host: on }]) => `${host}: there is no hypervisor ${on}`);
  return [
    ...faults,
    ...repeated(
      'ids of virtual machines',
      machines.map(([, { id }]) => id.toString()),
    ),
  ];
}

function checkKubernetes(site: Site): string[] {
  const { bootstrap, control_planes: planes, endpoint } = site.kubernetes;
  const faults: string[] = [];
  const first = planes[bootstrap];
  if (first === undefined) faults.push(`kubernetes.bootstrap: ${bootstrap} is not a control plane`);
  const count = Object.keys(planes).length;
  // With an even number the loss of as many nodes as with one node less stops etcd.
  if (count % 2 === 0) faults.push(`kubernetes.control_planes: expected an odd number, got ${count}`);
  const net = first === undefined ? undefined : site.vlans[first.vlan]?.subnet;
  if (net !== undefined && !within(net, endpoint)) {
    faults.push(`kubernetes.endpoint: ${endpoint} is not in ${net}, where the control planes share it`);
  }
  return faults;
}

function repeated(where: string, values: readonly string[]): string[] {
  const twice = new Set(values.filter((value, index) => values.indexOf(value) !== index));
  return [...twice].map(value => `${where}: ${value} occurs twice`);
}
