/**
 * Room compose: intent and module text → Kubernetes objects under stable keys.
 * In: Intent, texts, what is observed and what earlier steps desire. Out: objects by composition resource key.
 * May import: errors, kube, intent, api, cluster, gen.
 * Must never: move an object that exists to another key. Core deletes by key before it applies (hazard 1).
 */
import { DoubtError } from '../errors.ts';
import { byCodeUnit, identityOf, nameObject, sameIdentity, type Identity, type KubeObject } from '../kube.ts';

/** Keys of a new XR's objects. API: golden list in keys.test.ts (invariant 7). */
export const KEY = {
  workspace: 'tofu-workspace',
  providerConfig: 'tofu-provider-config',
  providerConfigUsage: 'tofu-usage-provider-config',
  trackedUse: 'tofu-usage-provider-config-usage',
  secretUsage: (secret: string): string => `tofu-usage-secret-${secret}`,
  credentials: (secret: string): string => `tofu-credentials-${secret}`,
} as const;

/** An object of ours with the key it has where nothing exists yet. */
export interface Composed {
  readonly key: string;
  readonly object: KubeObject;
}

/** Composition resource keys by what stands under them. */
export type KeyIndex = ReadonlyMap<string, readonly string[]>;

export function indexKeys(observed: ReadonlyMap<string, KubeObject>): KeyIndex {
  const index = new Map<string, string[]>();
  for (const [key, object] of observed) {
    const name = printIdentity(identityOf(object));
    const keys = index.get(name);
    if (keys === undefined) index.set(name, [key]);
    else keys.push(key);
  }
  return index;
}

/** Joined by what stands in none of the parts, so that no two identities print alike. */
function printIdentity({ group, kind, namespace, name }: Identity): string {
  return `${group}\0${kind}\0${namespace}\0${name}`;
}

/** The key under which an object is observed, whatever key that is; undefined where it does not exist. */
export function findKey(index: KeyIndex, identity: Identity): string | undefined {
  const keys = index.get(printIdentity(identity)) ?? [];
  if (keys.length <= 1) return keys[0];
  throw new DoubtError(
    'OneObjectTwoKeys',
    `${identity.kind} ${identity.namespace}/${identity.name} is composed under ${[...keys].sort(byCodeUnit).join(' and ')}: ` +
      'whichever is dropped, core deletes the object',
  );
}

/**
 * Gives each object the key it already has, else its own (invariant 6).
 *
 * @param desired objects of earlier steps, by key
 * @param index of `observed`, where the caller has it
 * @throws DoubtError where an object stands under two keys, where a key of ours stands for another
 *   object (core would keep that object's name and write our content into it), or where an earlier
 *   step desires our key or our object
 */
export function assignKeys(
  composed: readonly Composed[],
  observed: ReadonlyMap<string, KubeObject>,
  desired: ReadonlyMap<string, KubeObject>,
  index: KeyIndex = indexKeys(observed),
): ReadonlyMap<string, KubeObject> {
  const assigned = new Map<string, KubeObject>();
  const foreign = indexForeign(desired);
  for (const { key: ownKey, object } of composed) {
    const identity = identityOf(object);
    const key = findKey(index, identity) ?? ownKey;
    const occupant = observed.get(key);
    if (occupant !== undefined && !sameIdentity(identityOf(occupant), identity))
      throw new DoubtError(
        'KeyOccupied',
        `composition resource key ${key} stands for ${nameObject(occupant)}, expected ${nameObject(object)}: ` +
          'core would write one into the other',
      );
    if (desired.has(key) || foreign.has(printWithoutNamespace(identity))) refuseForeign(desired, key, identity);
    assigned.set(key, object);
  }
  return new Map([...assigned].sort(([a], [b]) => byCodeUnit(a, b)));
}

/**
 * Refuses to leave out a Workspace or ProviderConfig of another name: core would delete it, and a
 * Workspace's deletion runs its destroy.
 *
 * @param strangers their keys
 * @throws DoubtError unless an earlier step desires them
 */
export function refuseStrangers(
  strangers: readonly string[],
  observed: ReadonlyMap<string, KubeObject>,
  desired: ReadonlyMap<string, KubeObject>,
): void {
  const dropped = strangers.filter(key => !desired.has(key)).map(key => observed.get(key));
  const names = dropped.flatMap(object => (object === undefined ? [] : [nameObject(object)]));
  if (names.length === 0) return;
  throw new DoubtError(
    'OtherNameComposed',
    `this XR composes ${names.join(', ')}, which no earlier step desires: core would delete it and its destroy would run. ` +
      'An older Composition made it: delete it by hand so that the external resources stay (managementPolicies without Delete), ' +
      'or put the step that composes it before this one',
  );
}

/** Core puts objects without a namespace into the XR's. */
function printWithoutNamespace(identity: Identity): string {
  return printIdentity({ ...identity, namespace: '' });
}

function indexForeign(desired: ReadonlyMap<string, KubeObject>): ReadonlySet<string> {
  return new Set(Array.from(desired.values(), object => printWithoutNamespace(identityOf(object))));
}

/** Names the object of an earlier step that is in the way. */
function refuseForeign(desired: ReadonlyMap<string, KubeObject>, key: string, identity: Identity): void {
  for (const [foreignKey, foreign] of desired) {
    const same = printWithoutNamespace(identityOf(foreign)) === printWithoutNamespace(identity);
    if (foreignKey !== key && !same) continue;
    throw new DoubtError(
      'DesiredByEarlierStep',
      `an earlier step of the pipeline desires ${nameObject(foreign)} under key ${foreignKey}, ` +
        `which is ours: ${identity.kind} ${identity.namespace}/${identity.name} under key ${key}`,
    );
  }
}
