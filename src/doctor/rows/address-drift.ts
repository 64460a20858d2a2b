import { compareNodes } from '../../infra/seams.ts';
import { parseTalosVms } from '../../infra/talos-vms.ts';
import { parseTopf } from '../../infra/topf.ts';
import { count, inInfra } from '../look.ts';
import { ofPlace, type Fix, type Row } from '../row.ts';

const VMS = 'tofu/environment/production/talos.tf';
const TOPF = 'talos/talos/topf.yaml';

const FIXES: readonly Fix[] = [
  {
    does:
      'Make topf.yaml say what talos.tf says: the VM has the address that OpenTofu gave it. Then see that topf reaches ' +
      'the node and would change nothing else.',
    commands: ['cd infra/talos/talos && topf apply --dry-run'],
  },
  {
    does: 'Where topf.yaml is right, change talos.tf and read the plan: another address restarts the VM, another name replaces it.',
    commands: ['infra/tofu/environment/production/tofu.sh plan'],
  },
];

export const addressDrift: Row = {
  id: 'address-drift',
  symptom: '`topf apply` cannot reach a node',
  seam: 'OpenTofu ↔ Talos',
  happened: 'Address, name, role or host of a VM in `production/talos.tf` and of its node in `topf.yaml` drifted apart',
  lookAt: `\`${VMS}\`, \`${TOPF}\``,
  fixes: FIXES,
  look: sources =>
    inInfra(sources, tree => {
      const vms = parseTalosVms(tree.file(VMS));
      const cluster = parseTopf(tree.file(TOPF));
      return {
        problems: compareNodes(vms, cluster).map(finding => ({
          kind: 'broken',
          evidence: ofPlace(finding),
          found: finding.message,
          fixes: FIXES,
        })),
        looked: `${count(vms.length, 'VM')} and ${count(cluster.nodes.length, 'node')} agree`,
      };
    }),
};
