import { DocumentError, isFieldError } from '../errors.ts';
import { byCodeUnit, parseKubeObject, readPath, type KubeObject } from '../kube.ts';
import type { Requirement } from '../decision.ts';

/** What a requirement was answered with, after everything that was not asked for is put aside. */
export interface RequiredObjects {
  /** Sorted by name. */
  readonly objects: readonly KubeObject[];
  /** How many objects were put aside: another kind, another namespace, or without the labels. */
  readonly foreign: number;
}

/**
 * Keeps what was asked for. Core filters already; an older core, a bootstrap requirement of the
 * Composition or a hand-made render input may not (field report 1).
 *
 * @throws DocumentError where an object has no readable type or identity: it could be one of ours
 */
export function pickRequired(requirement: Requirement, items: readonly unknown[]): RequiredObjects {
  const objects: KubeObject[] = [];
  let foreign = 0;
  for (const item of items) {
    const object = readObject(requirement.objectKind, item);
    if (answers(requirement, object)) objects.push(object);
    else foreign += 1;
  }
  return { objects: objects.sort(byName), foreign };
}

function readObject(kind: string, item: unknown): KubeObject {
  try {
    return parseKubeObject(item);
  } catch (error) {
    if (isFieldError(error)) throw new DocumentError(`a required ${kind}`, [error]);
    throw error;
  }
}

function answers(requirement: Requirement, object: KubeObject): boolean {
  if (object.apiVersion !== requirement.apiVersion || object.kind !== requirement.objectKind) return false;
  if ((object.metadata.namespace ?? '') !== (requirement.namespace ?? '')) return false;
  if (requirement.kind === 'name') return object.metadata.name === requirement.name;
  const labels = readPath(object, 'metadata', 'labels');
  for (const [key, value] of requirement.labels) if (readPath(labels, key) !== value) return false;
  return true;
}

/** Names are unique in a cluster; a hand-made input may hold one twice, and must still sort the same each time. */
function byName(a: KubeObject, b: KubeObject): number {
  return byCodeUnit(a.metadata.name, b.metadata.name) || byCodeUnit(JSON.stringify(a), JSON.stringify(b));
}
