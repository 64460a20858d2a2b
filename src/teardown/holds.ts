import { findReadSecrets } from '../compose/usage.ts';
import { OPENTOFU_API } from '../cluster/workspace.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { groupOf, readCondition, readPath, readStrings, type KubeObject } from '../kube.ts';
import type { Hold } from './plan.ts';
import type { Situation } from './situation.ts';

/** Crossplane's webhook refuses the deletion of what carries it. */
const IN_USE = 'crossplane.io/in-use';
/** A Usage without it does not wait for the object that uses. */
const COMPOSITE = 'crossplane.io/composite';

interface Needed {
  readonly group: string;
  readonly kind: 'ProviderConfig' | 'ProviderConfigUsage' | 'Secret';
  readonly name: string;
  /** undefined where it is not there, or Secrets were not given at all. */
  readonly object: KubeObject | undefined;
}

/** What the Workspace's destroy needs, and by which Usage each is held. */
export function findHolds({ objects, sources, stage }: Situation): readonly Hold[] {
  if (stage === 'unknown' || stage === 'absent') return [];
  const secretsKnown = sources.origin === 'api' || objects.secrets.length > 0;
  return findNeeded(objects).map(needed => {
    const usage = objects.usages.find(candidate => isUsageOf(candidate, needed));
    const labelKnown = needed.kind !== 'Secret' || secretsKnown;
    return {
      object: `${needed.kind} ${needed.name}`,
      usage: usage?.metadata.name,
      faults: usage === undefined ? ['no Usage holds it'] : findFaults(usage, needed, labelKnown),
    };
  });
}

/** Secrets that the Workspace and its ProviderConfig read. */
export function readSecretNames({ workspace, providerConfig }: Situation['objects']): readonly string[] {
  return [...findReadSecrets(...[workspace?.object, providerConfig].filter(object => object !== undefined))];
}

function findNeeded(objects: Situation['objects']): readonly Needed[] {
  const { workspace, providerConfig, uses, secrets } = objects;
  const group = groupOf(OPENTOFU_API);
  const uid = readPath(workspace?.object, 'metadata', 'uid');
  return [
    { group, kind: 'ProviderConfig', name: WORKSPACE_NAME, object: providerConfig },
    // The provider names its record of the use by the Workspace's uid.
    ...(typeof uid === 'string'
      ? [
          {
            group,
            kind: 'ProviderConfigUsage' as const,
            name: uid,
            object: uses.find(({ metadata }) => metadata.name === uid),
          },
        ]
      : []),
    ...readSecretNames(objects).map(name => ({
      group: '',
      kind: 'Secret' as const,
      name,
      object: secrets.find(({ metadata }) => metadata.name === name),
    })),
  ];
}

function isUsageOf(usage: KubeObject, { group, kind, name }: Needed): boolean {
  const of = Object.fromEntries(readStrings(usage, 'spec', 'of'));
  return (
    of['kind'] === kind &&
    groupOf(of['apiVersion'] ?? '') === group &&
    readPath(usage, 'spec', 'of', 'resourceRef', 'name') === name &&
    readPath(usage, 'spec', 'by', 'kind') === 'Workspace' &&
    readPath(usage, 'spec', 'by', 'resourceRef', 'name') === WORKSPACE_NAME
  );
}

function findFaults(usage: KubeObject, { object }: Needed, labelKnown: boolean): readonly string[] {
  const isReady = readCondition(usage, 'Ready')?.status === 'True';
  const waits = readStrings(usage, 'metadata', 'labels').has(COMPOSITE);
  const isLabelled = readStrings(object, 'metadata', 'labels').get(IN_USE) === 'true';
  return [
    ...(isReady ? [] : ['the Usage is not Ready']),
    ...(waits ? [] : [`the Usage lacks the label ${COMPOSITE}: it would not wait for the Workspace`]),
    ...(!labelKnown || isLabelled ? [] : [object === undefined ? 'it is not there' : `it lacks the label ${IN_USE}`]),
  ];
}
