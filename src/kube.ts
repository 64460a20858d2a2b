/**
 * Leaf words for Kubernetes objects: the shape, its identity, and readers that are safe on
 * untrusted content (own properties only, so `constructor` and `__proto__` are ordinary names).
 */
import { FieldError } from './errors.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface KubeMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A Kubernetes object whose type and identity have been read; everything else is still unknown. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeMetadata;
  readonly [field: string]: unknown;
}

/**
 * What makes an object the same object to the API server: group (not version), kind, namespace, name.
 * `namespace` is empty for cluster-scoped objects.
 */
export interface Identity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a nested own property; undefined where any step is missing or not an object. */
export function readPath(value: unknown, ...steps: readonly string[]): unknown {
  let current = value;
  for (const step of steps) {
    if (!isRecord(current) || !Object.hasOwn(current, step)) return undefined;
    current = current[step];
  }
  return current;
}

/** Reads a nested map of strings, leaving out entries that are not strings. */
export function readStrings(value: unknown, ...steps: readonly string[]): ReadonlyMap<string, string> {
  const found = readPath(value, ...steps);
  const strings = new Map<string, string>();
  if (!isRecord(found)) return strings;
  for (const [key, entry] of Object.entries(found)) if (typeof entry === 'string') strings.set(key, entry);
  return strings;
}

/** Whether a selector takes an object with these labels, as Kubernetes matches: it has every one that is asked for. */
export function matchesLabels(
  labels: ReadonlyMap<string, string>,
  selector: Iterable<readonly [key: string, value: string]>,
): boolean {
  return [...selector].every(([key, value]) => labels.get(key) === value);
}

/**
 * Reads an object's type and identity.
 * @throws FieldError where apiVersion, kind or metadata.name is missing or not a string, or the namespace is not a string
 */
export function parseKubeObject(value: unknown): KubeObject {
  const need = (...steps: string[]): string => {
    const found = readPath(value, ...steps);
    if (typeof found !== 'string' || found === '')
      throw new FieldError(steps.join('.'), 'a non-empty string', { value: found });
    return found;
  };
  need('apiVersion');
  need('kind');
  need('metadata', 'name');
  const namespace = readPath(value, 'metadata', 'namespace');
  if (namespace !== undefined && typeof namespace !== 'string')
    throw new FieldError('metadata.namespace', 'a string', { value: namespace });
  return value as KubeObject;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

export function identityOf(object: KubeObject): Identity {
  return {
    group: groupOf(object.apiVersion),
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
  };
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.group === b.group && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** `Kind namespace/name`, the way every message of ours names an object. */
export function nameObject(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? `${object.kind} ${name}` : `${object.kind} ${namespace}/${name}`;
}

export interface StatusCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** metadata.generation that the condition speaks of; undefined where its writer does not say. */
  readonly observedGeneration: number | undefined;
}

/** Reads one entry of `status.conditions`; undefined where there is none of that type. */
export function readCondition(object: KubeObject, type: string): StatusCondition | undefined {
  const conditions = readPath(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return undefined;
  const found: unknown = conditions.find(condition => readPath(condition, 'type') === type);
  if (found === undefined) return undefined;
  const text = (field: string): string => {
    const value = readPath(found, field);
    return typeof value === 'string' ? value : '';
  };
  const generation = readPath(found, 'observedGeneration');
  return {
    status: text('status'),
    reason: text('reason'),
    message: text('message'),
    observedGeneration: typeof generation === 'number' && generation > 0 ? generation : undefined,
  };
}

/** Compares by UTF-16 code unit: the same order in every locale and on every machine. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
