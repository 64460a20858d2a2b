import { compareIgpuIds, parseHandedIds, parseMappedIgpus, type HandedIds } from '../../infra/igpu-devices.ts';
import { count, inInfra } from '../look.ts';
import { ofPlace, type Fix, type Row } from '../row.ts';

const VARIABLES = 'tofu/environment/production/variables.tf';
const GROUP = 'ansible/group_vars/igpu_passthrough.yml';
const HOSTS = 'ansible/host_vars';

const FIXES: readonly Fix[] = [
  {
    does: 'Ask the host which it is, and make both sides say that id: `hypervisors` in variables.tf, `igpu_passthrough_pci_ids` for the host.',
    commands: ['lspci -nn -d ::0300'],
  },
  {
    does: 'Then commission the host again, before OpenTofu maps the device.',
    commands: ['cd infra/ansible && ansible-playbook playbooks/proxmox_commissioning.yaml --check --diff'],
  },
];

export const igpuIdsDiffer: Row = {
  id: 'igpu-ids-differ',
  symptom: 'A GPU worker VM does not start on a host that was commissioned',
  seam: 'Ansible ↔ OpenTofu',
  happened: "OpenTofu maps a device by another PCI id than the one that Ansible takes from the host's driver",
  lookAt: `\`${VARIABLES}\`, \`${GROUP}\`, \`${HOSTS}\``,
  fixes: FIXES,
  look: sources =>
    inInfra(sources, tree => {
      const mapped = parseMappedIgpus(tree.file(VARIABLES));
      const group = parseHandedIds(tree.file(GROUP));
      if (group === undefined) throw new Error(`${tree.path(GROUP)}:1: expected igpu_passthrough_pci_ids`);
      const own = new Map<string, HandedIds>();
      for (const { host } of mapped) {
        const file = tree.below(HOSTS, `/${host}.yml`).at(0);
        const handed = file && parseHandedIds(file);
        if (handed !== undefined) own.set(host, handed);
      }
      return {
        problems: compareIgpuIds(mapped, group, own).map(finding => ({
          kind: 'broken' as const,
          evidence: ofPlace(finding),
          found: finding.message,
          fixes: FIXES,
        })),
        looked: `${count(mapped.length, 'iGPU')}, each by the id that Ansible hands over`,
      };
    }),
};
