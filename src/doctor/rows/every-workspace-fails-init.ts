import { compareStateBucket } from '../../infra/seams.ts';
import { parseStateBuckets } from '../../infra/state-buckets.ts';
import { parseWorkspaceComponent } from '../../infra/workspace-component.ts';
import { NAMESPACE, PAUSE_ALL, pauseFirst } from '../commands.ts';
import { count, inCluster, inInfra } from '../look.ts';
import { isPaused } from '../namespaces.ts';
import { ofObject, ofPlace, type Fix, type Problem, type Row } from '../row.ts';
import { findFailures, type WorkspaceFailure } from '../workspace-failure.ts';

const REASON = 'BackendInitFailed';

const CHECK_STATE: Fix = {
  does:
    'Before a Workspace runs again see that its state object is there and is the old one, ' +
    '`<state bucket>/<namespace>/workspace/<key>`: where listing was denied OpenTofu may have started a new, empty state beside it. ' +
    'Then unpause one, read its plan (it must create no bucket), then the others.',
};

const ALL_FIXES: readonly Fix[] = [
  PAUSE_ALL,
  {
    does: 'Look at the environment that makes the bucket. Its plan must say "No changes"; where it wants to create, the bucket or its state is lost: stop, and read infra/tofu/environment/tofu/README.md.',
    commands: ['infra/tofu/environment/tofu/tofu.sh plan'],
  },
  {
    does: "Let the Secret with the state store's credentials hold a key that may list, read and write this bucket.",
    commands: ['kubectl get clusterexternalsecret tofu-workspace-s3-credentials -o yaml'],
  },
  CHECK_STATE,
];

function describeSecret(namespace: string): string {
  return `kubectl -n ${namespace} describe externalsecret tofu-workspace-s3-credentials`;
}

function fixesForOne(namespace: string): readonly Fix[] {
  return [
    pauseFirst(namespace),
    {
      does: "The others reach the store, so it is this namespace's Secret: see that it was delivered anew after the last rotation, and may list the bucket.",
      commands: [describeSecret(namespace)],
    },
    CHECK_STATE,
  ];
}

function findBroken(failures: readonly WorkspaceFailure[], running: number): readonly Problem[] {
  const [first] = failures;
  if (first === undefined) return [];
  if (failures.length === running)
    return [
      {
        kind: 'broken',
        evidence: ofObject(first.workspace),
        found: `every Workspace (${running}) fails on init: ${failures.map(({ namespace }) => namespace).join(', ')}. ${first.message}`,
        fixes: ALL_FIXES,
      },
    ];
  return failures.map(({ workspace, namespace, message }) => ({
    kind: 'broken',
    evidence: ofObject(workspace),
    found: `this Workspace fails on init, ${running - failures.length} of ${running} do not. ${message}`,
    fixes: fixesForOne(namespace),
  }));
}

export const everyWorkspaceFailsInit: Row = {
  id: 'every-workspace-fails-init',
  symptom: 'Every Workspace fails on init',
  seam: 'OpenTofu ↔ Crossplane',
  happened:
    "The bucket of the Workspaces' state, or its credentials, changed under them; one alone has wrong credentials of its own",
  lookAt: '`infra/tofu/environment/tofu`; Secret `tofu-workspace-s3-credentials`',
  fixes: [
    ...ALL_FIXES,
    {
      does: 'Where one Workspace alone fails: pause only that, and look at the Secret in its namespace.',
      commands: [describeSecret(NAMESPACE)],
    },
  ],
  look: sources => [
    ...inInfra(sources, tree => {
      const made = tree.below('tofu/environment/tofu', '.tf').flatMap(parseStateBuckets);
      const source = tree.file('k8s/components/workspace/talos/kustomization.yaml');
      const { stateBucket } = parseWorkspaceComponent(source);
      const named = [stateBucket ?? { file: source.file, line: 1, name: sources.input.state.bucket }];
      return {
        problems: named
          .flatMap(bucket => compareStateBucket(bucket, made))
          .map(finding => ({
            kind: 'broken',
            evidence: ofPlace(finding),
            found: finding.message,
            fixes: [
              {
                does: 'Put the name back that was there before: another name is another, empty state. A bucket that really moves: docs/runbooks/move-state.md.',
              },
            ],
          })),
        looked: `state bucket ${named.map(({ name }) => name).join(', ')} is made by environment/tofu`,
      };
    }),
    ...inCluster(sources, ['Workspace'], ({ Workspace }) => {
      const running = Workspace.filter(workspace => !isPaused(workspace));
      const failures = findFailures(running, sources.input).filter(({ reason }) => reason === REASON);
      return {
        problems: findBroken(failures, running.length),
        looked: `${count(running.length, 'Workspace')}, none fails on init`,
      };
    }),
  ],
};
