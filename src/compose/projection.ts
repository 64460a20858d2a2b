import { groupOf, identityOf, readPath, readStrings, sameIdentity, type KubeObject } from '../kube.ts';
import { EXTERNAL_NAME_ANNOTATION, OPENTOFU_API } from '../cluster/workspace.ts';
import { COMPOSED_LABEL, OWN_PREFIX } from './labels.ts';
import { usageNameOfProviderConfig } from './usage.ts';

/** Fields that a server-side apply may carry; the API server refuses managedFields and owns status. */
const CONTENT = ['spec', 'data', 'type'] as const;

/**
 * An object as it is, reduced to what we would send: applied server-side, it changes no field.
 * For answers that can't say yet what they want.
 */
export function composeProjection(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const own = (field: 'labels' | 'annotations'): Readonly<Record<string, string>> | undefined => {
    const entries = [...readStrings(metadata, field)].filter(
      ([key]) => key.startsWith(OWN_PREFIX) || key === EXTERNAL_NAME_ANNOTATION,
    );
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const labels = own('labels');
  const annotations = own('annotations');
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...Object.fromEntries(CONTENT.filter(field => Object.hasOwn(object, field)).map(field => [field, object[field]])),
  };
}

/**
 * Whether an observed object is ours, told without knowing what is wanted now: by our label, or by the
 * identity that the objects of an older Composition share with ours.
 */
export function isOurs(object: KubeObject, namespace: string, name: string): boolean {
  if (object.metadata.namespace !== namespace) return false;
  if (readStrings(object, 'metadata', 'labels').get(COMPOSED_LABEL) === 'true') return true;
  const identity = identityOf(object);
  const group = groupOf(OPENTOFU_API);
  if (['Workspace', 'ProviderConfig'].some(kind => sameIdentity(identity, { group, kind, namespace, name })))
    return true;
  return (
    identity.kind === 'Usage' &&
    identity.name === usageNameOfProviderConfig(name) &&
    readPath(object, 'spec', 'by', 'resourceRef', 'name') === name
  );
}
