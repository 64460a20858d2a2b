import { DocumentError, isFieldError } from '../errors.ts';
import { byCodeUnit, groupOf, parseKubeObject, type KubeObject } from '../kube.ts';
import type { ObservedObject } from '../observation.ts';
import { OPENTOFU_API, readWorkspace, type ObservedWorkspace } from './workspace.ts';

const OPENTOFU_GROUP = groupOf(OPENTOFU_API);

/** What the XR composes now, by whichever Composition, and our two objects in it. */
export interface Existing {
  /** By composition resource key. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly workspace: ObservedWorkspace | undefined;
  readonly providerConfig: KubeObject | undefined;
  /** Keys of Workspaces and ProviderConfigs that are composed under another name. */
  readonly strangers: readonly string[];
  /** OpenTofu's outputs as the Workspace's connection Secret holds them; empty where it is missing. */
  readonly connectionDetails: ReadonlyMap<string, Uint8Array>;
}

/**
 * Finds our Workspace and ProviderConfig by identity, whatever key they stand under (invariant 6).
 * @throws DocumentError where an observed object has no readable identity: it could be one of ours
 */
export function readExisting(observed: ReadonlyMap<string, ObservedObject>, namespace: string, name: string): Existing {
  const objects = new Map<string, KubeObject>();
  let workspace: KubeObject | undefined;
  let providerConfig: KubeObject | undefined;
  let connectionDetails: ReadonlyMap<string, Uint8Array> = new Map();
  const strangers: string[] = [];
  for (const [key, { object: value, connectionDetails: details }] of observed) {
    const object = readObject(key, value);
    objects.set(key, object);
    if (groupOf(object.apiVersion) !== OPENTOFU_GROUP) continue;
    if (object.metadata.name !== name || object.metadata.namespace !== namespace) strangers.push(key);
    else if (object.kind === 'ProviderConfig') providerConfig = object;
    else if (object.kind === 'Workspace') [workspace, connectionDetails] = [object, details];
  }
  return {
    objects,
    workspace: workspace === undefined ? undefined : readWorkspace(workspace),
    providerConfig,
    strangers: strangers.sort(byCodeUnit),
    connectionDetails,
  };
}

function readObject(key: string, value: unknown): KubeObject {
  try {
    return parseKubeObject(value);
  } catch (error) {
    if (isFieldError(error)) throw new DocumentError(`the observed object under key ${key}`, [error]);
    throw error;
  }
}
