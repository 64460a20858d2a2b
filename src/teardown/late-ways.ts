import { finalizersBesideForeground } from '../cluster/foreground.ts';
import { RESOURCE } from '../intent/names.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import { KEPT_POLICIES, patchFinalizers, patchPolicies, printPolicies, SHORT } from './commands.ts';
import type { Step, Way } from './plan.ts';
import type { Situation } from './situation.ts';

/**
 * Ways where the deletion was asked for already: Crossplane does not write the Workspace any more, so a human acts on
 * the Workspace itself.
 */
export function deriveLateWays(situation: Situation): readonly Way[] {
  const { sources, buckets, protection } = situation;
  const { namespace } = sources;
  const names = buckets.map(({ name }) => name);
  const last = endForeground(situation);
  if (buckets.length === 0) return last.length === 0 ? [] : [withoutBuckets(last)];
  const isUnprotected = protection?.buckets === 'false';
  return [
    {
      name: 'keep-everything',
      title: 'Keep the buckets and all else at Backblaze and NetBird',
      outcome: `the Workspace goes without a destroy${isUnprotected ? ', where the destroy has not begun' : ''}; buckets, keys, records and the state stay`,
      refusedBy: [],
      steps: [
        {
          kind: 'run',
          title: 'Take Delete out of the policies of the Workspace',
          commands: [patchPolicies(namespace)],
        },
        {
          kind: 'wait',
          title: 'Look',
          until: [`${printPolicies(namespace)} prints ${JSON.stringify(KEPT_POLICIES)}, or the Workspace is gone`],
        },
        ...last,
      ],
    },
    {
      name: 'keep-buckets',
      title: 'Keep the buckets, and let keys and records go',
      outcome: 'the next attempt of the destroy takes what is left in the state',
      refusedBy: [],
      steps: [takeOutOfState(namespace, names), ...last],
    },
    {
      name: 'destroy-buckets',
      title: 'Destroy the buckets',
      outcome: `what is in these buckets is lost for good: ${names.join(', ')}`,
      refusedBy: [],
      steps: [
        {
          kind: 'by hand',
          title: 'Empty the buckets, hidden versions and unfinished uploads included',
          details: names,
        },
        ...(isUnprotected
          ? []
          : [
              {
                kind: 'by hand' as const,
                title: "Set both literals prevent_destroy in the Workspace's module to false",
                details: [`kubectl -n ${namespace} edit ${SHORT.workspace}`],
              },
            ]),
        ...last,
      ],
    },
  ];
}

function withoutBuckets(steps: readonly Step[]): Way {
  return {
    name: 'without-buckets',
    title: 'Let the deletion go on',
    outcome: 'keys and records go; the state holds no bucket',
    refusedBy: [],
    steps,
  };
}

/** Always the last step: from then on the provider acts. */
function endForeground({ sources, objects }: Situation): readonly Step[] {
  const finalizers = finalizersBesideForeground(objects.workspace?.object);
  if (finalizers === undefined) return [];
  return [
    {
      kind: 'run',
      title:
        'It was deleted in the foreground, so that the Workspace and its ProviderConfigUsage wait for each other: take that finalizer away, and no other',
      commands: [patchFinalizers(sources.namespace, finalizers)],
    },
  ];
}

function takeOutOfState(namespace: string, names: readonly string[]): Step {
  return {
    kind: 'by hand',
    title:
      "With the module as main.tf and the ProviderConfig's configuration as provider.tf, take the buckets out of the state (docs/runbooks/teardown.md)",
    details: [
      `kubectl -n ${namespace} annotate --overwrite ${SHORT.workspace} crossplane.io/paused=true`,
      'tofu init -input=false',
      'tofu workspace select workspace',
      ...names.map(name => `tofu state rm 'b2_bucket.${RESOURCE.bucket}["${bucketKey(name)}"]'`),
      `tofu state rm terraform_data.${RESOURCE.guard}`,
      `kubectl -n ${namespace} annotate ${SHORT.workspace} crossplane.io/paused-`,
    ],
  };
}
