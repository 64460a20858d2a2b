import {
  compareNodeSchematics,
  compareSchematics,
  compareTalosVersions,
  parseBootedSchematics,
  parseBootedVersion,
  parseInstalledSchematics,
  parseInstalledVersion,
} from '../../infra/talos-image.ts';
import { parseTalosVms } from '../../infra/talos-vms.ts';
import { count, inInfra } from '../look.ts';
import { ofPlace, type Fix, type Row } from '../row.ts';

const PRODUCTION = 'tofu/environment/production';
const TALOS = 'talos/talos';
const VMS = `${PRODUCTION}/talos.tf`;
const TOPF = `${TALOS}/topf.yaml`;

const FIXES: readonly Fix[] = [
  {
    does:
      'Make both sides say the same: `talos_version` and `talosVersion`, and the two copies of each schematic. A VM that ' +
      'runs is not touched by the image that new ones boot; topf upgrades it.',
    commands: ['cd infra/talos/talos && topf apply --dry-run', 'infra/tofu/environment/production/tofu.sh plan'],
  },
];

export const nodeImageDiffers: Row = {
  id: 'node-image-differs',
  symptom: 'A new VM boots another Talos than its cluster has, or lacks a system extension',
  seam: 'OpenTofu ↔ Talos',
  happened: 'Version or schematic in `production` and in `topf.yaml` drifted apart',
  lookAt: `\`${PRODUCTION}/variables.tf\`, \`${VMS}\`, \`${TOPF}\`, \`schematic*.yaml\` beside both`,
  fixes: FIXES,
  look: sources =>
    inInfra(sources, tree => {
      const topf = tree.file(TOPF);
      const vms = parseTalosVms(tree.file(VMS));
      const booted = parseBootedSchematics(tree.file(VMS));
      const version = parseInstalledVersion(topf);
      const findings = [
        ...compareTalosVersions(parseBootedVersion(tree.file(`${PRODUCTION}/variables.tf`)), version),
        ...compareNodeSchematics(vms, booted, parseInstalledSchematics(topf)),
        ...[booted.plain, booted.igpu].flatMap(name =>
          compareSchematics(tree.file(`${PRODUCTION}/${name}`), tree.file(`${TALOS}/${name}`)),
        ),
      ];
      return {
        problems: findings.map(finding => ({
          kind: 'broken' as const,
          evidence: ofPlace(finding),
          found: finding.message,
          fixes: FIXES,
        })),
        looked: `${count(vms.length, 'VM')} boot what topf installs: Talos ${version.version}`,
      };
    }),
};
