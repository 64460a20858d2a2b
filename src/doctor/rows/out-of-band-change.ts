import type { Fix, Row } from '../row.ts';

const FIXES: readonly Fix[] = [
  {
    does: 'Let it be planned. `drift` changes nothing, and says per environment what a plan would put back.',
    commands: ['tofuworkspace drift --infra infra'],
  },
  {
    does: 'Then take the change back where it was made, or write it into the environment. Read a plan to its end before you apply it: where it replaces or destroys, stop.',
    commands: ['infra/tofu/environment/production/tofu.sh plan   # or the environment that drift names'],
  },
];

/** Never fine: no file and no object shows it. */
export const outOfBandChange: Row = {
  id: 'out-of-band-change',
  symptom: 'A change to a VM or VLAN quietly persists',
  seam: 'human ↔ OpenTofu',
  happened: 'Nothing reconciles this layer: a change from outside shows only in a plan',
  lookAt: '`tofuworkspace drift`',
  fixes: FIXES,
  look: ({ tree }) => [
    {
      kind: 'not looked at',
      side: 'infra',
      why: `only a plan shows it, and doctor runs none: tofuworkspace drift --infra ${tree?.root ?? 'DIR'}`,
    },
  ],
};
