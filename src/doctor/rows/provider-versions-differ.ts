import type { Input } from '../../api/input.ts';
import { parseProviderPins } from '../../infra/provider-pins.ts';
import { compareProviderPins } from '../../infra/seams.ts';
import { count, inInfra } from '../look.ts';
import { ofPlace, type Fix, type Row } from '../row.ts';

const FIXES: readonly Fix[] = [
  {
    does: "Read what changed between the two versions, then pin both to one: `providers.….version` of the Composition's Input, and every `versions.tf`. Look for arguments that force a replacement.",
    commands: ['infra/tofu/check.sh'],
  },
];

function readOurs({ providers }: Input): readonly { readonly source: string; readonly version: string }[] {
  return [providers.b2, providers.netbird, ...providers.extra];
}

export const providerVersionsDiffer: Row = {
  id: 'provider-versions-differ',
  symptom: 'What works in an environment fails in a Workspace, or the other way round',
  seam: 'OpenTofu ↔ Crossplane',
  happened: 'The module of the Workspaces and `infra/tofu` pin different versions of one provider',
  lookAt: "`required_providers` in `infra/tofu/**/versions.tf`; `providers` of the Composition's Input",
  fixes: FIXES,
  look: sources =>
    inInfra(sources, tree => {
      const files = tree.below('tofu', '/versions.tf');
      if (files.length === 0) throw new Error(`${tree.path('tofu')} has no versions.tf`);
      const pins = files.flatMap(parseProviderPins);
      return {
        problems: compareProviderPins(pins, readOurs(sources.input)).map(finding => ({
          kind: 'warning',
          evidence: ofPlace(finding),
          found: finding.message,
          fixes: FIXES,
        })),
        looked: `${count(pins.length, 'pin')}, those that the Workspaces use too are the same`,
      };
    }),
};
