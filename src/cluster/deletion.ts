/** How the deletion of a Workspace goes on, as merge patches of the Workspace. */
import { readPath, type KubeObject } from '../kube.ts';

const FOREGROUND = 'foregroundDeletion';

/** All but Delete, one of the combinations that Crossplane takes. */
export const KEPT_POLICIES = ['Observe', 'Create', 'Update', 'LateInitialize'] as const;

/**
 * In the foreground Kubernetes deletes what an object owns before the object. What a Workspace owns is the provider's
 * ProviderConfigUsage, which a Usage holds until the Workspace is gone; and the provider destroys nothing while there is
 * a finalizer beside its own (crossplane-runtime, pkg/reconciler/managed). So it waits for ever.
 * @returns the other finalizers as a patch, with which it goes on; undefined where it is not deleted in the foreground
 */
function withoutForeground(object: KubeObject | undefined): object | undefined {
  const finalizers: unknown = readPath(object, 'metadata', 'finalizers');
  if (!Array.isArray(finalizers) || !finalizers.includes(FOREGROUND)) return undefined;
  return { metadata: { finalizers: finalizers.filter(each => each !== FOREGROUND) } };
}

/**
 * The Workspace goes without a destroy. In one patch: without Delete the provider takes its finalizer off at once, and none
 * can be put on an object that is being deleted, so a list that is patched later would be refused.
 */
export function printKeepPatch(object?: KubeObject): string {
  return JSON.stringify({ ...withoutForeground(object), spec: { managementPolicies: KEPT_POLICIES } });
}

/** The destroy begins; undefined where nothing in the finalizers holds it up. */
export function printGoOnPatch(object: KubeObject | undefined): string | undefined {
  const patch = withoutForeground(object);
  return patch && JSON.stringify(patch);
}
