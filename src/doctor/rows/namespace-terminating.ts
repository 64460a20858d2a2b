import type { Input } from '../../api/input.ts';
import { printGoOnPatch, printKeepPatch } from '../../cluster/deletion.ts';
import { readPath, type KubeObject } from '../../kube.ts';
import {
  NAMESPACE,
  patchWorkspace,
  pauseWorkspace,
  unpauseTofuWorkspace,
  unpauseWorkspace,
  WORKSPACES,
} from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { inNamespace, isBeingDeleted, isPaused, namespaceOf } from '../namespaces.ts';
import { ofObject, type Fix, type Problem, type Row } from '../row.ts';
import { findNeededSecrets } from '../secret-references.ts';
import { findFailures } from '../workspace-failure.ts';

/** What a fix is told for; without a Workspace, for the page of all failures. */
interface Going {
  readonly namespace: string;
  readonly workspace?: KubeObject;
}

/** Functions are not run any more: only the Workspace itself can be changed. */
function lookFirst(namespace: string): Fix {
  return {
    does: 'Pause the Workspace first, so that no attempt runs while you decide. Nothing is lost as long as the namespace hangs. The TofuWorkspace changes nothing any more: functions are not run once it is being deleted.',
    commands: [pauseWorkspace(namespace)],
  };
}

function keepEverything({ namespace, workspace }: Going): Fix {
  return {
    does: "Keep everything at Backblaze and NetBird: take Delete out of the Workspace's policies, then unpause it. It goes without a destroy, and without a connection to anything; then the namespace goes. Buckets, keys, records and the state stay.",
    commands: [patchWorkspace(namespace, printKeepPatch(workspace)), unpauseWorkspace(namespace)],
  };
}

const KEEP_BUCKETS: Fix = {
  does: 'Keep the buckets and nothing else: take them and the guard out of the state by hand, then unpause; keys and records are destroyed (docs/runbooks/teardown.md, "When it was deleted too early").',
  commands: [
    `tofu state rm 'b2_bucket.backup["BUCKET"]'   # each bucket to keep`,
    'tofu state rm terraform_data.guard',
  ],
};

function destroyBuckets(namespace: string): Fix {
  return {
    does: 'Only where the backups are not wanted any more: empty the buckets by hand, hidden versions included, set both literals `prevent_destroy` in `spec.forProvider.module` of the Workspace to false, and unpause it.',
    commands: [`kubectl -n ${namespace} edit ${WORKSPACES} workspace`, unpauseWorkspace(namespace)],
    destroys: true,
  };
}

function keepFirst(going: Going, ...last: readonly Fix[]): readonly Fix[] {
  return [lookFirst(going.namespace), keepEverything(going), KEEP_BUCKETS, ...last];
}

interface Stuck {
  readonly namespace: string;
  readonly terminating: boolean;
  readonly workspace: KubeObject;
  readonly composite: KubeObject | undefined;
  readonly providerConfigs: readonly KubeObject[];
  readonly uses: readonly KubeObject[];
  readonly secrets: readonly KubeObject[];
  readonly input: Input;
}

/** Whether the destroy that goes on would take a bucket along, if it is empty. */
function isProtected({ workspace }: Stuck): boolean {
  const module = readPath(workspace, 'spec', 'forProvider', 'module');
  return (
    typeof module === 'string' &&
    /prevent_destroy\s*=\s*true/.test(module) &&
    !/prevent_destroy\s*=\s*false/.test(module)
  );
}

function goOn(stuck: Stuck, does: string, commands?: readonly string[]): Fix {
  const fix = commands === undefined ? { does } : { does, commands };
  if (isProtected(stuck))
    return {
      ...fix,
      does: `${does} The destroy is then refused as long as a bucket is protected; nothing goes with it.`,
    };
  return {
    ...fix,
    does: `${does} The destroy then goes on, and the module protects no bucket any more: empty ones go with it.`,
    destroys: true,
  };
}

function endForeground({ namespace, workspace }: Stuck): readonly string[] {
  const patch = printGoOnPatch(workspace);
  return patch === undefined ? [] : [patchWorkspace(namespace, patch)];
}

type Cause = (stuck: Stuck) => readonly Omit<Problem, 'kind' | 'evidence'>[];

/** What keeps a Workspace from going, in the order in which it has to be solved. */
const CAUSES: readonly Cause[] = [
  stuck => {
    const { workspace, composite, namespace } = stuck;
    const paused = [workspace, composite].filter(object => object !== undefined && isPaused(object));
    if (paused.length === 0) return [];
    const unpause = [...endForeground(stuck), unpauseTofuWorkspace(namespace), unpauseWorkspace(namespace)];
    return [
      {
        found: `${paused.map(object => object?.kind ?? '').join(' and ')} paused: a paused object is not deleted`,
        fixes: [
          { does: 'Decide first what is to stay at Backblaze; as long as it is paused nothing happens.' },
          keepEverything(stuck),
          KEEP_BUCKETS,
          goOn(stuck, 'Or unpause, and let the destroy run.', unpause),
        ],
      },
    ];
  },
  stuck => {
    const { workspace, providerConfigs } = stuck;
    const [kind, name] = [
      readPath(workspace, 'spec', 'providerConfigRef', 'kind'),
      readPath(workspace, 'spec', 'providerConfigRef', 'name'),
    ];
    const there = providerConfigs.some(({ metadata }) => metadata.name === name);
    if (kind !== 'ProviderConfig' || there) return [];
    return [
      {
        found: `ProviderConfig ${String(name)} is gone: the destroy has nothing to connect with`,
        fixes: keepFirst(
          stuck,
          restore(stuck, 'the ProviderConfig, with the text of `tofuworkspace render … --provider-config`'),
        ),
      },
    ];
  },
  stuck => {
    const { workspace, providerConfigs, secrets } = stuck;
    const needed = findNeededSecrets(...[workspace, ...providerConfigs].map(({ spec }) => spec));
    const missing = needed.filter(({ name }) => secrets.every(({ metadata }) => metadata.name !== name));
    if (missing.length === 0) return [];
    const names = missing.map(({ name }) => name).join(', ');
    return [
      {
        found: `Secret ${names} is gone: every attempt of the destroy fails before it begins`,
        fixes: keepFirst(stuck, restore(stuck, `Secret ${names}, with the value that it had`)),
      },
    ];
  },
  stuck => {
    const { workspace, uses } = stuck;
    const uid = readPath(workspace, 'metadata', 'uid');
    if (!stuck.terminating || typeof uid !== 'string' || uses.some(({ metadata }) => metadata.name === uid)) return [];
    return [
      {
        found: `the provider's ProviderConfigUsage ${uid} is gone and cannot be made again in a terminating namespace: the Workspace is never destroyed by itself`,
        fixes: keepFirst(stuck),
      },
    ];
  },
  stuck => {
    const patches = endForeground(stuck);
    if (patches.length === 0) return [];
    return [
      {
        found:
          'it is deleted in the foreground, and waits for its ProviderConfigUsage, which a Usage holds until it is gone: nothing is destroyed',
        fixes: keepFirst(
          stuck,
          goOn(
            stuck,
            'Take that finalizer away, and no other, then unpause; what is to be kept is out of the state by then.',
            [...patches, unpauseWorkspace(stuck.namespace)],
          ),
        ),
      },
    ];
  },
  stuck => {
    const { composite, namespace } = stuck;
    const buckets = readBuckets(composite, 'Releasing');
    if (buckets.length === 0) return [];
    return [
      {
        found: `bucket ${buckets.join(', ')} is still Releasing: it has left the block that protects it, and only the guard refuses its destroy`,
        fixes: [lookFirst(namespace), keepEverything(stuck), KEEP_BUCKETS],
      },
    ];
  },
  stuck =>
    findFailures([stuck.workspace], stuck.input).map(({ reason, message }) => ({
      found: `the destroy fails, ${reason}: ${message}`,
      fixes: reason in AT_THE_PROVIDER ? keepFirst(stuck, destroyBuckets(stuck.namespace)) : keepFirst(stuck),
    })),
];

/** Failures that the destruction of buckets itself meets. */
const AT_THE_PROVIDER: Readonly<Record<string, true>> = {
  PreventDestroy: true,
  BucketNotEmpty: true,
  DeleteBucketsUnauthorized: true,
};

function restore(stuck: Stuck, what: string): Fix {
  return goOn(
    stuck,
    stuck.terminating
      ? `Put back ${what}. Kubernetes refuses new objects in a terminating namespace: where it does, work with the state by hand (docs/failure-modes.md, "A namespace stays Terminating").`
      : `Put back ${what}.`,
  );
}

function readBuckets(composite: KubeObject | undefined, state: string): readonly string[] {
  const buckets = readPath(composite, 'status', 'buckets');
  if (!Array.isArray(buckets)) return [];
  return buckets.filter(bucket => readPath(bucket, 'state') === state).map(bucket => String(readPath(bucket, 'name')));
}

function findCauses(stuck: Stuck): readonly Problem[] {
  const evidence = ofObject(stuck.workspace);
  const found = CAUSES.flatMap(cause => cause(stuck));
  const held = stuck.terminating ? `namespace ${stuck.namespace} stays Terminating` : 'the Workspace stays';
  if (found.length > 0)
    return found.map(problem => ({ kind: 'broken', evidence, ...problem, found: `${held}: ${problem.found}` }));
  return [
    {
      kind: 'warning',
      evidence,
      found: `${stuck.namespace}: the Workspace is being deleted, and nothing is known that holds it: its destroy runs, or is about to`,
      fixes: [
        {
          does: "Wait for one round of the provider. Does it stay, look at the Workspace's condition Synced, and pause it before you change anything.",
        },
        keepEverything(stuck),
      ],
    },
  ];
}

/** The Workspace went and its Usages did not: Crossplane looks every 30 seconds. */
function findWaitingUsages(namespace: string, usages: readonly KubeObject[]): readonly Problem[] {
  return usages.filter(isBeingDeleted).map(usage => ({
    kind: 'warning',
    evidence: ofObject(usage),
    found: `namespace ${namespace} stays Terminating: a Usage waits although its Workspace is gone`,
    fixes: [
      {
        does: 'Wait a minute: Crossplane looks every 30 seconds. Then see whether its pod runs, and its log.',
        commands: ['kubectl -n crossplane-system logs deployment/crossplane --tail=50'],
      },
    ],
  }));
}

export const namespaceTerminating: Row = {
  id: 'namespace-terminating',
  symptom: 'A namespace is stuck Terminating on the finalizer of its Workspace',
  seam: 'Flux ↔ Crossplane',
  happened:
    "The Workspace's destroy has nothing to connect with (ProviderConfig or Secret gone first), meets `prevent_destroy` or a bucket that is not empty, is paused, was deleted in the foreground, or a Usage waits",
  lookAt:
    'Condition `Synced` of the Workspace; what of ProviderConfig and Secrets is still there. Functions are not run any more: a change of the TofuWorkspace changes nothing',
  fixes: keepFirst({ namespace: NAMESPACE }, destroyBuckets(NAMESPACE)),
  look: sources =>
    inCluster(
      sources,
      ['Namespace', 'TofuWorkspace', 'Workspace', 'ProviderConfig', 'ProviderConfigUsage', 'Secret', 'Usage'],
      objects => {
        const terminating = new Set(objects.Namespace.filter(isBeingDeleted).map(({ metadata }) => metadata.name));
        const going = objects.Workspace.filter(
          object => isBeingDeleted(object) || terminating.has(namespaceOf(object)),
        );
        const held = going.flatMap(workspace => {
          const namespace = namespaceOf(workspace);
          return findCauses({
            namespace,
            terminating: terminating.has(namespace),
            workspace,
            composite: inNamespace(objects.TofuWorkspace, namespace)[0],
            providerConfigs: inNamespace(objects.ProviderConfig, namespace),
            uses: inNamespace(objects.ProviderConfigUsage, namespace),
            secrets: inNamespace(objects.Secret, namespace),
            input: sources.input,
          });
        });
        const left = [...terminating]
          .filter(namespace => inNamespace(objects.Workspace, namespace).length === 0)
          .flatMap(namespace => findWaitingUsages(namespace, inNamespace(objects.Usage, namespace)));
        return {
          problems: [...held, ...left],
          looked: `${count(objects.Namespace.length, 'Namespace')}, none hangs on a Workspace`,
        };
      },
    ),
};
