import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ansible, ansibleFolder } from './ansible.ts';

interface Listing {
  readonly _meta: { readonly hostvars: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}
type Groups = Readonly<Record<string, { readonly hosts?: readonly string[] }>>;

const listing = JSON.parse(ansible('ansible-inventory', ['--list']).output) as unknown;
const { hostvars } = (listing as Listing)._meta;
const groupsOfHosts = listing as Groups;

describe('inventory.yml', () => {
  const addresses = [
    ['proxmox-1', '192.168.100.11'],
    ['proxmox-2', '192.168.100.12'],
    ['proxmox-3', '192.168.100.13'],
    ['proxmox-4', '192.168.100.14'],
    ['maresa', '192.168.100.20'],
    ['homeassistant', '192.168.100.21'],
  ] as const;

  test.each(addresses)('%s is at %s', (host, address) => {
    expect(hostvars[host]?.['ansible_host']).toBe(address);
  });

  const groups = [
    ['proxmox', ['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4']],
    ['igpu_passthrough', ['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4']],
    ['nas', ['maresa']],
    ['home_assistant', ['homeassistant']],
    ['workstation', ['localhost']],
  ] as const;

  test.each(groups)('group %s', (group, hosts) => {
    expect(groupsOfHosts[group]?.hosts).toEqual(hosts);
  });

  test('the workstation is reached without a network', () => {
    expect(hostvars['localhost']?.['ansible_connection']).toBe('local');
  });
});

describe('playbooks', () => {
  const plays = readdirSync(`${ansibleFolder}/playbooks`).flatMap(
    file => parse(readFileSync(`${ansibleFolder}/playbooks/${file}`, 'utf8')) as { hosts: string; serial?: number }[],
  );

  test('none reaches the appliances, and none says "all"', () => {
    expect(new Set(plays.map(play => play.hosts))).toEqual(new Set(['proxmox', 'workstation']));
  });

  test('hypervisors go one at a time', () => {
    expect(plays.filter(play => play.hosts === 'proxmox').map(play => play.serial)).toEqual([1, 1]);
  });
});
