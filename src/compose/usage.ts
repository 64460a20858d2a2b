import type { Usage } from '../gen/kubernetes/usage.ts';
import { byCodeUnit, isRecord, readPath, type KubeObject } from '../kube.ts';
import { KEY, type Composed } from './keys.ts';
import { COMPOSED_LABELS } from './labels.ts';

const USAGE_API = 'protection.crossplane.io/v1beta1';

export function usageNameOfProviderConfig(workspace: string): string {
  return `${workspace}-providerconfig`;
}

/** Of the record by which the provider notes that the Workspace uses its ProviderConfig. */
export function usageNameOfTrackedUse(workspace: string): string {
  return `${workspace}-providerconfigusage`;
}

export function usageNameOfSecret(workspace: string, secret: string): string {
  return `${workspace}-secret-${secret}`;
}

/**
 * Usages that keep the ProviderConfig and every Secret until the Workspace's destroy is done
 * (field report 11). The Secrets are found by walking the objects that are really emitted, so a new
 * reference can't be forgotten, whatever is observed (field report 15).
 *
 * @param uid of the Workspace; undefined where it does not exist yet
 */
export function composeUsages(
  workspace: KubeObject,
  providerConfig: KubeObject,
  uid: string | undefined,
): readonly Composed[] {
  const used = composeUsage(workspace, {
    name: usageNameOfProviderConfig(workspace.metadata.name),
    of: providerConfig,
    // Ours: once the Workspace is gone, the refused deletion is done at once instead of being tried again later.
    replayDeletion: true,
  });
  const secrets = [...findReadSecrets(workspace, providerConfig)].map(secret => ({
    key: KEY.secretUsage(secret),
    object: composeUsage(workspace, {
      name: usageNameOfSecret(workspace.metadata.name, secret),
      of: { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret } },
      // Delivered by others: a replayed deletion could take a Secret that is wanted again (hazard 11).
      replayDeletion: false,
    }),
  }));
  return [
    { key: KEY.providerConfigUsage, object: used },
    ...composeTrackedUse(workspace, providerConfig, uid),
    ...secrets,
  ];
}

/**
 * The provider makes a ProviderConfigUsage, named by the Workspace's uid, before anything else in every reconcile. The
 * deletion of a namespace takes it, and in a namespace that terminates it cannot be made again: without it the Workspace
 * is never destroyed.
 */
function composeTrackedUse(
  workspace: KubeObject,
  { apiVersion }: KubeObject,
  uid: string | undefined,
): readonly Composed[] {
  if (uid === undefined) return [];
  const name = usageNameOfTrackedUse(workspace.metadata.name);
  const of = { apiVersion, kind: 'ProviderConfigUsage', metadata: { name: uid } };
  return [{ key: KEY.trackedUse, object: composeUsage(workspace, { name, of, replayDeletion: true }) }];
}

function composeUsage(
  workspace: KubeObject,
  usage: { readonly name: string; readonly of: KubeObject; readonly replayDeletion: boolean },
): KubeObject {
  const reference = (object: KubeObject): Usage['spec']['of'] & object => ({
    apiVersion: object.apiVersion,
    kind: object.kind,
    resourceRef: { name: object.metadata.name },
  });
  return {
    apiVersion: USAGE_API,
    kind: 'Usage',
    metadata: { name: usage.name, namespace: workspace.metadata.namespace ?? '', labels: COMPOSED_LABELS },
    spec: {
      of: reference(usage.of),
      by: reference(workspace),
      ...(usage.replayDeletion ? { replayDeletion: true } : {}),
    },
  } satisfies Usage;
}

/** Names of the Secrets that the objects read, sorted. */
export function findReadSecrets(...objects: readonly KubeObject[]): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isRecord(value)) return;
    for (const [key, entry] of Object.entries(value)) {
      const name = key === 'secretKeyRef' || key === 'secretRef' ? readPath(entry, 'name') : undefined;
      if (typeof name === 'string') names.add(name);
      walk(entry);
    }
  };
  for (const object of objects) walk(object['spec']);
  return new Set([...names].sort(byCodeUnit));
}
