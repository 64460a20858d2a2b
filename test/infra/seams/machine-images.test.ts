/** What OpenTofu boots and topf installs, and the iGPUs between Ansible and OpenTofu: as they stand, and with a fault. */
import { describe, expect, it } from 'vitest';
import { printFinding, type Finding } from '../../../src/infra/finding.ts';
import { compareIgpuIds, parseHandedIds, parseMappedIgpus } from '../../../src/infra/igpu-devices.ts';
import {
  compareNodeSchematics,
  compareSchematics,
  compareTalosVersions,
  parseBootedSchematics,
  parseBootedVersion,
  parseInstalledSchematics,
  parseInstalledVersion,
} from '../../../src/infra/talos-image.ts';
import { parseTalosVms } from '../../../src/infra/talos-vms.ts';
import { findSources, plant, readSource } from './trees.ts';

const PRODUCTION = 'infra/tofu/environment/production';
const print = (findings: readonly Finding[]): string[] => findings.map(printFinding);
const variables = readSource(`${PRODUCTION}/variables.tf`);
const vms = readSource(`${PRODUCTION}/talos.tf`);
const topf = readSource('infra/talos/talos/topf.yaml');

describe('OpenTofu and Talos: the version', () => {
  const compare = (left = variables, right = topf): string[] =>
    print(compareTalosVersions(parseBootedVersion(left), parseInstalledVersion(right)));

  it('that is booted is the one that is installed', () => {
    expect(parseInstalledVersion(topf).version).toBe('v1.13.7');
    expect(compare()).toEqual([]);
  });
  it('that differs is found, on either side', () => {
    const message =
      /^infra\/talos\/talos\/topf\.yaml:\d+: Talos v1\.13\.(\d), but a new VM boots v1\.13\.(\d), which infra\/.*variables\.tf:\d+ names$/;
    expect(compare(variables, plant(topf, 'talosVersion: v1.13.7', 'talosVersion: v1.13.8'))).toEqual([
      expect.stringMatching(message),
    ]);
    expect(compare(plant(variables, '"v1.13.7"', '"v1.13.6"'))).toEqual([expect.stringMatching(message)]);
  });
  it('of both clusters is one', () => {
    expect(parseInstalledVersion(readSource('infra/talos/edge/topf.yaml')).version).toBe('v1.13.7');
  });
});

describe('OpenTofu and Talos: the schematic', () => {
  const compare = (left = vms, right = topf): string[] =>
    print(compareNodeSchematics(parseTalosVms(left), parseBootedSchematics(left), parseInstalledSchematics(right)));

  it('of every node is the one that its VM boots', () => {
    expect(parseInstalledSchematics(topf)).toHaveLength(7);
    expect(compare()).toEqual([]);
  });
  it.each([
    ['is missing on a node with an iGPU', /(talos-worker-03\n.*\n.*\n)\s+schematicId: .*\n/, '$1', 'talos-worker-03'],
    [
      'is that of the iGPU for all',
      'schematicId: "@schematic.yaml"',
      'schematicId: "@schematic-igpu.yaml"',
      'talos-cp-01',
    ],
    ['is an id', 'schematicId: "@schematic.yaml"', 'schematicId: 376567988ad370138ad8b269', 'has schematic by id'],
  ])('that %s is found', (_, from, to, message) => {
    expect(compare(vms, plant(topf, from, to)).join('\n')).toContain(message);
  });
  it('that a VM boots without its iGPU is found', () => {
    expect(compare(plant(vms, 'igpu = "schematic-igpu.yaml"', 'igpu = "schematic.yaml"'))).toHaveLength(4);
  });

  it.each(['schematic.yaml', 'schematic-igpu.yaml'])('%s says the same on both sides', name => {
    const [booted, installed] = [readSource(`${PRODUCTION}/${name}`), readSource(`infra/talos/talos/${name}`)];
    expect(compareSchematics(booted, installed)).toEqual([]);
    const broken = plant(installed, 'siderolabs/qemu-guest-agent', 'siderolabs/iscsi-tools');
    expect(print(compareSchematics(booted, broken))).toEqual([
      `infra/talos/talos/${name}:1: says something else than ${PRODUCTION}/${name}`,
    ]);
  });
});

describe('Ansible and OpenTofu: PCI ids of iGPUs', () => {
  const group = readSource('infra/ansible/group_vars/igpu_passthrough.yml');
  const handed = (source = group) => {
    const found = parseHandedIds(source);
    if (found === undefined) throw new Error('the group hands over no device');
    return found;
  };
  const compare = (left = variables, right = group): string[] =>
    print(compareIgpuIds(parseMappedIgpus(left), handed(right)));

  it('that are mapped are those that the hosts let go of', () => {
    expect(parseMappedIgpus(variables).map(({ host }) => host)).toEqual([
      ...['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4'],
    ]);
    // No host overrides the group today; one that does has to be given to the comparison.
    expect(findSources('infra/ansible/host_vars', '.yml').map(parseHandedIds)).toEqual([undefined, undefined]);
    expect(compare()).toEqual([]);
  });
  it('that differ are found, on either side', () => {
    expect(compare(plant(variables, '8086:46a6', '8086:9a49'))).toEqual([
      expect.stringMatching(
        /variables\.tf:\d+: proxmox-1 has the iGPU 8086:9a49, but Ansible hands over 8086:46a6 \(infra\/ansible\/group_vars\/igpu_passthrough\.yml:\d+\)/,
      ),
    ]);
    expect(compare(variables, plant(group, '"8086:46a6"', '"8086:46a8"'))).toHaveLength(4);
  });
  it('of one host are its own where it says so', () => {
    const own = new Map([['proxmox-2', { file: 'proxmox-2.yml', line: 1, ids: ['8086:9a49'] }]]);
    expect(compareIgpuIds(parseMappedIgpus(variables), handed(), own)).toHaveLength(1);
  });
});
