import { describe, expect, test } from 'vitest';
import { ansible } from './ansible.ts';

/** Runs one role on this machine in check mode; every case has to be refused before a task could change anything. */
function refusal(role: string, variables: Readonly<Record<string, unknown>>): string {
  const { status, output } = ansible('ansible', [
    'localhost',
    '--connection=local',
    '--check',
    '--module-name=ansible.builtin.include_role',
    `--args=name=${role}`,
    '--extra-vars',
    JSON.stringify(variables),
  ]);
  expect(status, output).not.toBe(0);
  expect(output).not.toContain('CHANGED');
  return output;
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKgmGkfRZ4LvVYlYp0J4Vv0c4P1m3lBhyXQ4bq0nY8aZ operator';

const cases: readonly { role: string; name: string; variables: Record<string, unknown>; says: string | RegExp }[] = [
  {
    role: 'apt_upgrades',
    name: 'an unknown kind of upgrade',
    variables: { apt_upgrades_kind: 'everything' },
    says: 'value of apt_upgrades_kind must be one of: full, safe, got: everything',
  },
  {
    role: 'apt_upgrades',
    name: 'consent that is no yes or no',
    variables: { apt_upgrades_reboot: 'maybe' },
    says: /apt_upgrades_reboot.*unable to convert to bool|not a valid boolean/,
  },
  {
    role: 'authorized_keys',
    name: 'no list of keys at all',
    variables: {},
    says: 'missing required arguments: authorized_keys_keys',
  },
  {
    role: 'authorized_keys',
    name: 'an empty list of keys, which would lock everybody out',
    variables: { authorized_keys_keys: [] },
    says: 'authorized_keys_keys: expected at least one public key',
  },
  {
    role: 'authorized_keys',
    name: 'the name of a file in the place of a key',
    variables: { authorized_keys_keys: ['~/.ssh/id_ed25519.pub'] },
    says: 'authorized_keys_keys: expected at least one public key',
  },
  {
    role: 'authorized_keys',
    name: 'a key that is wanted and revoked, whatever its comment',
    variables: { authorized_keys_keys: [key], authorized_keys_revoked: [`${key} again`] },
    says: 'none that is in authorized_keys_revoked',
  },
  {
    role: 'chrony',
    name: 'a clock without a source',
    variables: {},
    says: 'chrony_servers, chrony_pools: expected at least one name or address of a time server, got []',
  },
  {
    role: 'chrony',
    name: 'a number of tries that is none',
    variables: { chrony_servers: ['127.0.0.1'], chrony_proof_tries: 'often' },
    says: /chrony_proof_tries.*cannot be converted to an int|unable to convert to int/,
  },
  {
    role: 'guarded_reboot',
    name: 'a timeout that is no number',
    variables: { guarded_reboot_timeout: 'soon' },
    says: /guarded_reboot_timeout.*cannot be converted to an int|unable to convert to int/,
  },
  {
    role: 'igpu_passthrough',
    name: 'no PCI ids',
    variables: { igpu_passthrough_kernel_arguments: ['iommu=pt'] },
    says: 'missing required arguments: igpu_passthrough_pci_ids',
  },
  {
    role: 'igpu_passthrough',
    name: 'a PCI id with a prefix',
    variables: { igpu_passthrough_pci_ids: ['0x8086:0x46a6'], igpu_passthrough_kernel_arguments: ['iommu=pt'] },
    says: 'igpu_passthrough_pci_ids: expected ids such as "8086:46a6"',
  },
  {
    role: 'igpu_passthrough',
    name: 'a kernel argument that the shell would run',
    variables: { igpu_passthrough_pci_ids: ['8086:46a6'], igpu_passthrough_kernel_arguments: ['iommu=$(reboot)'] },
    says: 'igpu_passthrough_kernel_arguments: expected at least one, each NAME or NAME=VALUE',
  },
  {
    role: 'igpu_passthrough',
    name: 'the same kernel argument with two values',
    variables: {
      igpu_passthrough_pci_ids: ['8086:46a6'],
      igpu_passthrough_kernel_arguments: ['iommu=pt', 'iommu=off'],
    },
    says: 'no NAME twice',
  },
  {
    role: 'pve_repositories',
    name: 'a component that Proxmox does not serve',
    variables: { pve_repositories_component: 'pve-free' },
    says: 'value of pve_repositories_component must be one of: pve-no-subscription, pve-enterprise, got: pve-free',
  },
  {
    role: 'workstation_software',
    name: 'a repository without a key',
    variables: { workstation_software_repositories: [{ name: 'x', description: 'x', baseurl: 'file:/x' }] },
    says: 'missing required arguments: gpgkey found in workstation_software_repositories',
  },
  {
    role: 'workstation_software',
    name: 'a machine that is not Fedora',
    variables: { ansible_facts: { distribution: 'Debian', distribution_version: '13.5' } },
    says: 'expected Fedora, found Debian 13.5. Nothing was changed.',
  },
  {
    role: 'workstation_software',
    name: 'a package that is wanted and unwanted',
    variables: {
      ansible_facts: { distribution: 'Fedora', distribution_version: '43' },
      workstation_software_packages: ['git', 'jq'],
      workstation_software_absent: ['jq'],
    },
    says: 'workstation_software_absent: expected nothing that workstation_software_packages names, got ["jq"]',
  },
  {
    role: 'workstation_software',
    name: 'packages as one string of many',
    variables: { workstation_software_packages: { git: true } },
    says: /workstation_software_packages.*cannot be converted to a list|unable to convert to list/,
  },
];

describe('a role refuses', () => {
  test.each(cases)('$role: $name', ({ role, variables, says }) => {
    expect(refusal(role, variables)).toMatch(says);
  });
});
