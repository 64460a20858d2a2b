import { DoubtError, describeValue } from '../errors.ts';
import { isRecord, nameObject, readCondition, readPath, readStrings, type KubeObject } from '../kube.ts';

/** The namespaced API of provider-opentofu. */
export const OPENTOFU_API = 'opentofu.m.upbound.io/v1beta1';

/** Annotation by which a Workspace of ours remembers which buckets its module speaks of: `{"<name>": "<state>"}`. */
export const BUCKETS_ANNOTATION = 'tofuworkspace.fn.kueber.eu/buckets';
/** Annotation that says which release the module belongs to; missing where it releases nothing. */
export const RELEASE_ANNOTATION = 'tofuworkspace.fn.kueber.eu/release';
/** Annotation that names the state, for the time when the ProviderConfig that names it is gone. */
export const STATE_ANNOTATION = 'tofuworkspace.fn.kueber.eu/state';
export const EXTERNAL_NAME_ANNOTATION = 'crossplane.io/external-name';

/** The Workspace as it exists now: what it was told to do, and what OpenTofu last said. */
export interface ObservedWorkspace {
  readonly object: KubeObject;
  /** Its OpenTofu workspace: external name, else metadata.name. */
  readonly workspace: string;
  /** The inline HCL module; undefined where the source is Remote, the format JSON, or the text missing. */
  readonly module: string | undefined;
  /** Address of its state, as it was composed with; undefined where it does not say. */
  readonly stateAddress: string | undefined;
  /** `<kind> <name>` of the object that configures its state, as spec.providerConfigRef says; undefined where it does not. */
  readonly configuredBy: string | undefined;
  /** OpenTofu applied this very spec without error. */
  readonly synced: boolean;
  /** Bucket name → state, as the annotation says; undefined where it is missing or unreadable. */
  readonly annotated: ReadonlyMap<string, string> | undefined;
  /** The release that its module belongs to. */
  readonly release: string | undefined;
}

export function readWorkspace(object: KubeObject): ObservedWorkspace {
  const parameters = readPath(object, 'spec', 'forProvider');
  const module = readPath(parameters, 'module');
  const inline = readPath(parameters, 'source') === 'Inline' && readPath(parameters, 'inlineFormat') !== 'JSON';
  const annotations = readStrings(object, 'metadata', 'annotations');
  return {
    object,
    workspace: annotations.get(EXTERNAL_NAME_ANNOTATION) ?? object.metadata.name,
    stateAddress: annotations.get(STATE_ANNOTATION),
    configuredBy: readProviderConfigReference(object),
    module: inline && typeof module === 'string' ? module : undefined,
    synced: isSynced(object),
    annotated: readAnnotatedBuckets(object),
    release: annotations.get(RELEASE_ANNOTATION),
  };
}

function readProviderConfigReference(object: KubeObject): string | undefined {
  const { kind, name } = Object.fromEntries(readStrings(object, 'spec', 'providerConfigRef'));
  return kind === undefined || name === undefined ? undefined : `${kind} ${name}`;
}

/** Synced for the current generation: an older True says nothing about the module that is there now. */
function isSynced(object: KubeObject): boolean {
  const condition = readCondition(object, 'Synced');
  if (condition?.status !== 'True') return false;
  const generation = readPath(object, 'metadata', 'generation');
  if (typeof generation !== 'number' || condition.observedGeneration === undefined) return true;
  return condition.observedGeneration >= generation;
}

function readAnnotatedBuckets(object: KubeObject): ReadonlyMap<string, string> | undefined {
  const text = readStrings(object, 'metadata', 'annotations').get(BUCKETS_ANNOTATION);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? readStrings(value) : undefined;
  } catch {
    // Edited by hand. One memory less; the others still count, and without any the buckets stay protected.
    return undefined;
  }
}

/**
 * Reads one of our map outputs from `status.atProvider.outputs`; undefined where it is absent.
 * @throws DoubtError where it is there but not a map of strings: it is memory, and must not be half read
 */
export function readOutputMap(object: KubeObject, output: string): ReadonlyMap<string, string> | undefined {
  const value = readPath(object, 'status', 'atProvider', 'outputs', output);
  if (value === undefined || value === null) return undefined;
  const path = `status.atProvider.outputs.${output}`;
  const refuse = (where: string, expected: string, found: unknown): DoubtError =>
    new DoubtError(
      'UnreadableOutputs',
      `cannot read ${nameObject(object)}: ${where}: expected ${expected}, got ${describeValue(found)}`,
    );
  if (!isRecord(value)) throw refuse(path, 'a map of strings', value);
  const map = new Map<string, string>();
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== 'string') throw refuse(`${path}.${key}`, 'a string', entry);
    map.set(key, entry);
  }
  return map;
}
