import { bucketKey } from '../intent/bucket-memory.ts';
import { byCodeUnit } from '../kube.ts';
import { KEPT_POLICIES, printKeepPatch } from '../cluster/deletion.ts';
import { deriveLateWays } from './late-ways.ts';
import { isAgainst, type Check, type Guarded, type Step, type Way } from './plan.ts';
import type { Situation } from './situation.ts';
import { pause, patchWorkspace, printPolicies, SHORT, unpause, unpauseForDeletion } from './commands.ts';

/** The ways there are from here, the one that keeps most first. */
export function deriveWays(situation: Situation, checks: readonly Check[]): readonly Way[] {
  const against = (...guarded: readonly Guarded[]): readonly string[] =>
    checks.filter(check => isAgainst(check) && guarded.includes(check.guards)).map(({ name }) => name);
  switch (situation.stage) {
    case 'unknown':
    case 'absent':
      return [];
    case 'terminating':
      // That it goes already is why these ways are told, not what stands against them.
      return deriveLateWays(situation);
    case 'without-buckets':
      return [refuse(tearDown(situation), against('every way', 'destroy'))];
    case 'protected':
    case 'changing':
    case 'unprotected':
      return [
        refuse(keepEverything(situation), against('every way')),
        refuse(keepBuckets(situation), against('every way', 'destroy')),
        refuse(destroyBuckets(situation), against('every way', 'destroy', 'buckets')),
      ];
  }
}

function refuse(way: Omit<Way, 'refusedBy'>, refusedBy: readonly string[]): Way {
  return { ...way, steps: refusedBy.length === 0 ? way.steps : [], refusedBy };
}

function keepEverything(situation: Situation): Omit<Way, 'refusedBy'> {
  const { namespace } = situation.sources;
  return {
    name: 'keep-everything',
    title: 'Keep the buckets and all else at Backblaze and NetBird',
    outcome:
      'buckets with their files, application keys, records and the state stay; the same namespace takes them up again later',
    steps: [
      ...protectAgain(situation),
      {
        kind: 'run',
        title:
          'Take Delete out of the policies of the Workspace: its deletion then runs no destroy. Crossplane leaves the field alone',
        commands: [patchWorkspace(namespace, printKeepPatch())],
      },
      {
        kind: 'wait',
        title: 'Look, before anything is deleted',
        until: [`${printPolicies(namespace)} prints ${JSON.stringify(KEPT_POLICIES)}`],
      },
      ...unpauseForDeletion(situation),
      removeApp(namespace, 'The one commit'),
    ],
  };
}

function keepBuckets(situation: Situation): Omit<Way, 'refusedBy'> {
  const { namespace } = situation.sources;
  const names = situation.buckets.map(({ name }) => name);
  return {
    name: 'keep-buckets',
    title: 'Keep the buckets, and let keys and records go',
    outcome:
      'buckets with their files stay at Backblaze and are in no state; application keys and records are destroyed',
    steps: [
      ...protectAgain(situation),
      pause(namespace),
      {
        kind: 'commit',
        title: 'First commit: take the Schedules away and release every bucket (docs/runbooks/release-bucket.md)',
        lines: [
          ...removedSchedules(situation),
          ...adoptionsOut(situation),
          'spec:',
          '  releaseBuckets:',
          ...names.map(name => `    - ${name}`),
        ],
      },
      ...unpause(namespace, `moved and removed blocks for ${names.join(', ')}`),
      {
        kind: 'wait',
        title: 'Delete nothing until all of this is so',
        until: [
          `TofuWorkspace: status.buckets shows as Released: ${names.join(', ')}`,
          'Workspace: its module has neither removed blocks nor terraform_data.guard, and Synced is True for its generation',
          'TofuWorkspace: WorkspaceApplied is True after that',
          `tofuworkspace teardown ${namespace} says: without-buckets`,
        ],
      },
      removeApp(namespace, 'Second commit'),
    ],
  };
}

function destroyBuckets(situation: Situation): Omit<Way, 'refusedBy'> {
  const { sources, stage, buckets } = situation;
  const { namespace } = sources;
  const names = buckets.map(({ name }) => name).join(', ');
  return {
    name: 'destroy-buckets',
    title: 'Destroy the buckets',
    outcome: `what is in these buckets is lost for good: ${names}`,
    steps: [
      ...(stage === 'unprotected' ? [] : firstCommit(situation)),
      emptyBuckets(situation),
      {
        kind: 'by hand',
        title: 'Pause the Workspace once more, look at Backblaze, unpause it (a paused object is not deleted)',
        details: [
          `kubectl -n ${namespace} annotate --overwrite ${SHORT.workspace} crossplane.io/paused=true`,
          ...buckets.map(({ name, id }) => `${name} (${id ?? 'no id'}) is empty and is the one that you mean`),
          `kubectl -n ${namespace} annotate ${SHORT.workspace} crossplane.io/paused-`,
        ],
      },
      removeApp(namespace, 'Second commit'),
      {
        kind: 'wait',
        title: 'Changed your mind before the second commit? Set retainBuckets to true again',
        until: [`tofuworkspace teardown ${namespace} says: protected`],
      },
    ],
  };
}

function firstCommit(situation: Situation): readonly Step[] {
  const { sources, buckets, xr } = situation;
  const { namespace } = sources;
  const isMade = xr?.spec.retainBuckets === false;
  const names = buckets.map(({ name }) => name).join(', ');
  return [
    ...(isMade
      ? []
      : [
          pause(namespace),
          {
            kind: 'commit' as const,
            title:
              "First commit: in the TofuWorkspace, or as a patch in the app's kustomization.yaml where a component brings it",
            lines: [...adoptionsOut(situation), 'spec:', '  retainBuckets: false'],
          },
        ]),
    ...unpause(
      namespace,
      `prevent_destroy = false in b2_bucket.backup and in terraform_data.guard, and names ${names}`,
    ),
    {
      kind: 'wait',
      title: isMade ? 'The first commit is made: wait until all of this is so' : 'Wait until all of this is so',
      until: [
        'TofuWorkspace: IntentSettled is True, and status.observedGeneration equals metadata.generation',
        'Workspace: its module has prevent_destroy = false twice, in b2_bucket.backup and in terraform_data.guard',
        `Workspace: the annotation tofuworkspace.fn.kueber.eu/buckets names ${names}`,
        'Workspace: Synced is True with observedGeneration equal to metadata.generation',
        `Workspace: status.atProvider.outputs.buckets lists ${names}`,
        `tofuworkspace teardown ${namespace} says: unprotected`,
      ],
    },
  ];
}

function emptyBuckets({ buckets, xr }: Situation): Step {
  const schedules = listSchedules(xr);
  const says = { some: 'holds files', none: 'is empty', unknown: 'was not looked into (--check-b2 does)' } as const;
  return {
    kind: 'by hand',
    title: 'Empty the buckets, hidden versions and unfinished uploads included: B2 deletes none that holds files',
    details: [
      ...buckets.map(({ name, files }) => `${name}: ${says[files]}`),
      ...(schedules.length === 0
        ? []
        : [`a Schedule that is still there writes into its bucket again: ${schedules.join(', ')}`]),
    ],
  };
}

function tearDown({ sources: { namespace } }: Situation): Omit<Way, 'refusedBy'> {
  return {
    name: 'without-buckets',
    title: 'No bucket is in the state: one commit tears down',
    outcome: 'records and keys of the state are destroyed',
    steps: [removeApp(namespace, 'The one commit')],
  };
}

/** The second belt: should the policies not be honoured, the destroy is still refused. */
function protectAgain({ xr }: Situation): readonly Step[] {
  if (xr?.spec.retainBuckets !== false) return [];
  return [
    {
      kind: 'commit',
      title: 'Before all else: protect the buckets again, and wait until it is applied',
      lines: ['spec:', '  retainBuckets: true'],
    },
  ];
}

function removeApp(namespace: string, title: string): Step {
  return {
    kind: 'commit',
    title: `${title}: take the app out of git, its TofuWorkspace and Namespace with it`,
    lines: [
      `the app's folder, and its line in the kustomization.yaml that lists it: everything in Namespace ${namespace} goes, volumes too`,
    ],
  };
}

function removedSchedules({ xr }: Situation): readonly string[] {
  const schedules = listSchedules(xr);
  return schedules.length === 0 ? [] : [`# Schedules that go in the same commit: ${schedules.join(', ')}`];
}

function listSchedules(xr: Situation['xr']): readonly string[] {
  const all = xr?.status.buckets.flatMap(({ schedules }) => schedules) ?? [];
  return [...new Set(all)].sort(byCodeUnit);
}

/** The API server refuses them beside either field. */
function adoptionsOut({ xr }: Situation): readonly string[] {
  const adopted = xr?.spec.adoptBuckets.map(({ bucket }) => bucketKey(bucket)) ?? [];
  return adopted.length === 0
    ? []
    : [`# spec.adoptBuckets goes in the same commit: ${adopted.join(', ')} imported long since`];
}
