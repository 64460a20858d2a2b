import { byCodeUnit, readStrings, type KubeObject } from '../kube.ts';

/** What the XR's Namespace says about the delivery of the Secrets that the Workspace reads. */
export type NamespaceLabels =
  | { readonly kind: 'labelled' }
  | { readonly kind: 'missing'; /** `key=value`, sorted. */ readonly labels: readonly string[] }
  | { readonly kind: 'no-namespace' };

/** Compares the labels that make the platform deliver Secrets to a namespace with those it carries. */
export function readNamespaceLabels(
  namespace: KubeObject | undefined,
  wanted: Readonly<Record<string, string>>,
): NamespaceLabels {
  if (namespace === undefined) return { kind: 'no-namespace' };
  const labels = readStrings(namespace, 'metadata', 'labels');
  const missing = Object.entries(wanted).filter(([key, value]) => labels.get(key) !== value);
  if (missing.length === 0) return { kind: 'labelled' };
  return { kind: 'missing', labels: missing.map(([key, value]) => `${key}=${value}`).sort(byCodeUnit) };
}
