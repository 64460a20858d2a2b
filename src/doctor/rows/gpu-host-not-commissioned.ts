import { parseInventoryGroup } from '../../infra/inventory.ts';
import { compareCommissioned } from '../../infra/seams.ts';
import { parseTalosVms } from '../../infra/talos-vms.ts';
import { count, inInfra } from '../look.ts';
import { ofPlace, type Fix, type Row } from '../row.ts';

const VMS = 'tofu/environment/production/talos.tf';
const INVENTORY = 'ansible/inventory.yml';
const GROUP = 'igpu_passthrough';

function fixesFor(host: string): readonly Fix[] {
  const run = `ansible-playbook playbooks/proxmox_commissioning.yaml --limit ${host}`;
  return [
    {
      does: `Ansible first: put ${host} into the group ${GROUP} of the inventory, look, then commission it. The second command consents to a reboot.`,
      commands: [`cd infra/ansible && ${run} --check --diff`, `${run} -e igpu_passthrough_reboot=true`],
    },
    {
      does: 'Then OpenTofu: the VM starts on a host that hands its iGPU over.',
      commands: ['infra/tofu/environment/production/tofu.sh plan'],
    },
    { does: 'Or, where the worker needs no GPU: `igpu = false` in talos.tf, `igpu: false` in topf.yaml.' },
  ];
}

export const gpuHostNotCommissioned: Row = {
  id: 'gpu-host-not-commissioned',
  symptom: 'A new GPU worker VM does not start on a fresh hypervisor',
  seam: 'Ansible ↔ OpenTofu',
  happened: '`proxmox_commissioning.yaml` (iGPU passthrough) never ran on that host',
  lookAt: `\`${VMS}\`, group \`${GROUP}\` in \`${INVENTORY}\`; whether the host still is as the playbook left it: \`tofuworkspace drift --layer ansible\``,
  fixes: fixesFor('HOST'),
  look: sources =>
    inInfra(sources, tree => {
      const vms = parseTalosVms(tree.file(VMS));
      const commissioned = parseInventoryGroup(tree.file(INVENTORY), GROUP);
      return {
        problems: vms.flatMap(vm =>
          compareCommissioned([vm], commissioned).map(finding => ({
            kind: 'broken' as const,
            evidence: ofPlace(finding),
            found: finding.message,
            fixes: fixesFor(vm.host),
          })),
        ),
        looked: `${count(vms.filter(({ igpu }) => igpu).length, 'VM')} with an iGPU, all on hosts of the group ${GROUP}`,
      };
    }),
};
