import type { Requirement } from '../decision.ts';
import { matchesLabels, readPath, readStrings } from '../kube.ts';

/** Answers a requirement from files as Crossplane answers it from the cluster: kind, labels, namespace, name. */
export function resolveRequirement(requirement: Requirement, documents: readonly unknown[]): readonly unknown[] {
  return documents.filter(document => {
    if (readPath(document, 'apiVersion') !== requirement.apiVersion) return false;
    if (readPath(document, 'kind') !== requirement.objectKind) return false;
    if ((readPath(document, 'metadata', 'namespace') ?? '') !== (requirement.namespace ?? '')) return false;
    if (requirement.kind === 'name') return readPath(document, 'metadata', 'name') === requirement.name;
    return matchesLabels(readStrings(document, 'metadata', 'labels'), requirement.labels);
  });
}
