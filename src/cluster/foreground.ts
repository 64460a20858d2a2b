import { readPath, type KubeObject } from '../kube.ts';

const FOREGROUND = 'foregroundDeletion';

/**
 * In the foreground Kubernetes deletes what an object owns before the object. What a Workspace owns is the provider's
 * ProviderConfigUsage, which a Usage holds until the Workspace is gone; and the provider destroys nothing while there is
 * a finalizer beside its own (crossplane-runtime 2.4, pkg/reconciler/managed). So it waits for ever.
 * @returns the other finalizers, with which it goes on; undefined where it does not wait like that
 */
export function finalizersBesideForeground(object: KubeObject | undefined): readonly string[] | undefined {
  const finalizers: unknown = readPath(object, 'metadata', 'finalizers');
  if (!Array.isArray(finalizers) || !finalizers.includes(FOREGROUND)) return undefined;
  return finalizers.filter((each): each is string => typeof each === 'string' && each !== FOREGROUND);
}
