/** site.yaml: what it must agree on with itself, and that it shares nothing with site 1. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { contains, overlap, parseAddress, parseSubnet } from '../../../infra/bootstrap/site/address.ts';
import {
  hostsOf,
  parseSite,
  readSite,
  SiteError,
  virtualMachinesOf,
  type Site,
} from '../../../infra/bootstrap/site/site.ts';
import {
  deriveSwitchPorts,
  digestSwitchPorts,
  printSwitchChecklist,
} from '../../../infra/bootstrap/site/switch-ports.ts';
import { BOOTSTRAP, REPOSITORY, siteValue } from './site-fixture.ts';

const site = readSite(join(BOOTSTRAP, 'site.yaml'));

function faultsOf(change: (value: Site) => void): readonly string[] {
  try {
    parseSite(siteValue(change), 'site.yaml');
    return [];
  } catch (error) {
    if (error instanceof SiteError) return error.faults;
    throw error;
  }
}

describe('site.yaml', () => {
  it.each<[string, (value: Site) => void, RegExp]>([
    [
      'an address outside its VLAN',
      value => Object.assign(value.guests['north-kali'] ?? {}, { address: '10.20.230.41' }),
      /north-kali: 10.20.230.41 is not in VLAN lab/,
    ],
    [
      'an address twice',
      value => Object.assign(value.kubernetes.workers['north-worker-1'] ?? {}, { address: '10.20.220.21' }),
      /addresses: 10.20.220.21 occurs twice/,
    ],
    ['a VM id twice', value => Object.assign(value.guests['north-kali'] ?? {}, { id: 2031 }), /2031 occurs twice/],
    ['overlapping subnets', value => (value.kubernetes.pods = '10.20.192.0/18'), /overlaps/],
    [
      'a bootstrap node that is a worker',
      value => (value.kubernetes.bootstrap = 'north-worker-1'),
      /is not a control plane/,
    ],
    [
      'an even number of control planes',
      value => delete value.kubernetes.control_planes['north-cp-3'],
      /expected an odd number, got 2/,
    ],
    [
      'an endpoint where nobody can take it',
      value => (value.kubernetes.endpoint = '10.20.210.10'),
      /where the control planes share it/,
    ],
    [
      'a router reached where phase 1 moves things',
      value => (value.router.address = '10.20.210.1'),
      /phase 1 leaves alone/,
    ],
    [
      'a port in a VLAN that is not there',
      value => (value.switch.ports['7'] = { access: 'attic', to: 'x' }),
      /there is no VLAN attic/,
    ],
    [
      'a trunk without the VLAN of a VM',
      value => (value.switch.ports['2'] = { trunk: ['management', 'servers'], to: 'north-pve-1' }),
      /north-pve-1 needs a trunk port with .*lab/,
    ],
    [
      'a disk that is not named by id',
      value => Object.assign(value.hypervisors['north-pve-1'] ?? {}, { pool: ['/dev/sda', '/dev/sdb'] }),
      /hypervisors.north-pve-1.pool/,
    ],
    [
      'a rollback that comes before anybody could confirm',
      value => (value.router.rollback_after = 5),
      /rollback_after/,
    ],
    [
      'a forwarding to nowhere',
      value => value.forwardings.push({ from: 'lab', to: 'attic' }),
      /there is no zone attic/,
    ],
  ])('refuses %s', (_, change, fault) => {
    expect(faultsOf(change).join('\n')).toMatch(fault);
  });

  it('is accepted as it is', () => {
    expect(faultsOf(() => undefined)).toEqual([]);
  });
});

describe('the switch', () => {
  it('has the ports that the VLANs ask for', () => {
    expect(deriveSwitchPorts(site).slice(0, 4)).toEqual([
      { port: 1, kind: 'trunk', pvid: 1, untagged: [], tagged: [210, 220, 230, 240], to: 'north-gw lan1' },
      { port: 2, kind: 'trunk', pvid: 1, untagged: [], tagged: [210, 220, 230, 240], to: 'north-pve-1' },
      { port: 3, kind: 'trunk', pvid: 1, untagged: [], tagged: [210, 220, 230, 240], to: 'north-pve-2' },
      { port: 4, kind: 'access', pvid: 220, untagged: [220], tagged: [], to: 'north-cp-1' },
    ]);
    const text = printSwitchChecklist(site);
    expect(text).toContain('| 4 | access | 220 | 220 | - | north-cp-1 |');
    expect(text).toContain(digestSwitchPorts(deriveSwitchPorts(site)));
  });

  const folder = mkdtempSync('/tmp/netgear-test-');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const netgear = (command: string, environment: NodeJS.ProcessEnv = {}): { status: number | null; stderr: string } =>
    spawnSync(join(BOOTSTRAP, 'steps/netgear'), [command], {
      encoding: 'utf8',
      env: { ...process.env, BOOTSTRAP_RECORDS: folder, ...environment },
    });

  it('is confirmed by a human, for exactly one table', () => {
    expect(netgear('check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nobody confirmed') as string,
    });
    expect(netgear('confirm', { ASSUME_YES: 'true' })).toMatchObject({ status: 1 });
    expect(netgear('check').status).toBe(1);
    expect(netgear('confirm', { ASSUME_YES: 'false' }).status).toBe(0);
    expect(netgear('check').status).toBe(0);
    const other = join(folder, 'site.yaml');
    writeFileSync(other, JSON.stringify(siteValue(value => (value.switch.ports['7'] = { access: 'lab', to: 'x' }))));
    expect(netgear('check', { BOOTSTRAP_SITE: other })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('site.yaml now gives') as string,
    });
  });
});

/** All text of site 1: whatever it names, this site must not have. */
function readTree(folder: string): string {
  return readdirSync(folder)
    .filter(name => name !== 'node_modules' && name !== '.terraform')
    .map(name => join(folder, name))
    .map(file => (statSync(file).isDirectory() ? readTree(file) : readFileSync(file, 'utf8')))
    .join('\n');
}

describe('site 1', () => {
  const first = ['tofu', 'ansible', 'talos', 'k8s'].map(layer => readTree(join(REPOSITORY, 'infra', layer))).join('\n');

  it('is read: it names its own hosts', () => {
    for (const name of ['proxmox-1', 'talos-cp-01', 'control-plane-1', '192.168.100.101'])
      expect(first).toContain(name);
  });

  it('has no host, VM, VLAN, key or state of this site', () => {
    const words = [...hostsOf(site).map(host => host.name), site.router.name, site.state.prefix, site.aws.prefix];
    for (const word of words)
      expect({ word, there: new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(first) }).toEqual({ word, there: false });
    for (const [name, { id }] of virtualMachinesOf(site)) {
      expect({ name, there: new RegExp(`vm_id *= *${id}\\b`).test(first) }).toEqual({ name, there: false });
    }
    const vlans = [...first.matchAll(/vlan(?:_id)?\s*[=:]\s*(\d+)/g)].map(match => Number(match[1]));
    expect(vlans).toContain(100);
    for (const { id } of Object.values(site.vlans)) expect(vlans).not.toContain(id);
    const keys = [...first.matchAll(/key\s*=\s*"([^"]+\/terraform\.tfstate)"/g)].map(match => match[1]);
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) expect(key).not.toMatch(/^bootstrap\//);
  });

  it('has no address in this site, and no network over it', () => {
    const own = parseSubnet(site.network);
    if (own === undefined) throw new Error('no network');
    const addresses = [...first.matchAll(/\b\d{1,3}(?:\.\d{1,3}){3}\b(?!\/)/g)].map(match => parseAddress(match[0]));
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter(each => each !== undefined && contains(own, each))).toEqual([]);
    const networks = [...first.matchAll(/\b\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}\b/g)].map(match => match[0]);
    // Everything, and the whole of private space in a deny rule, are no networks of a site.
    const clash = networks.filter(text => {
      const other = parseSubnet(text);
      return other !== undefined && other.prefix > 8 && overlap(own, other);
    });
    expect(clash).toEqual([]);
  });
});
