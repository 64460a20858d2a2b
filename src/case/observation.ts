/**
 * Room case: documents that stand for one reconcile, whoever read them.
 * In: YAML, or what was parsed of it. Out: the Observation that Crossplane would send.
 * May import: kube, observation, decision, decide, yaml, and what finds our step in a Composition.
 * Must never: read a file, need node, or resolve a requirement by other rules than Crossplane's.
 */
import { findFunctionStep, FUNCTION_NAME } from '../api/function-step.ts';
import { decide } from '../decide.ts';
import { isRecord, readPath, readStrings } from '../kube.ts';
import type { ObservedObject, Observation } from '../observation.ts';
import { CaseError } from './case-error.ts';
import { resolveRequirement } from './resolve.ts';

const KEY_ANNOTATION = 'crossplane.io/composition-resource-name';

/** Documents of one text, and what it is called in messages. */
export interface Source {
  readonly where: string;
  readonly documents: readonly unknown[];
}

export interface CaseDocuments {
  readonly xr: Source;
  readonly composition: Source;
  /** Objects that the XR composes already, each with its composition resource key as an annotation. */
  readonly observed: Source;
  /** Connection Secrets of observed Workspaces. */
  readonly outputs: Source;
}

/**
 * What the function would be told first: nothing required is answered yet.
 * @throws CaseError
 */
export function observeCase({ xr, composition, observed, outputs }: CaseDocuments): Observation {
  const [composite, ...more] = xr.documents;
  if (composite === undefined || more.length > 0) throw new CaseError(`${xr.where}: expected one document, the XR`);
  return {
    input: readInput(composition),
    composite,
    observed: new Map(observed.documents.map(object => readObserved(object, outputs.documents, observed.where))),
    desired: new Map(),
    required: new Map(),
    capabilities: new Set(),
  };
}

/** Plays core: asks, answers what is required from the documents. Every requirement is answered then. */
export function answerCase(observation: Observation, documents: readonly unknown[]): Observation {
  const { requirements } = decide(observation);
  return {
    ...observation,
    required: new Map([...requirements].map(([key, requirement]) => [key, resolveRequirement(requirement, documents)])),
  };
}

/**
 * The Input of our step in a Composition.
 * @throws CaseError where there is no such step
 */
export function readInput({ where, documents }: Source): unknown {
  const step = findFunctionStep(documents);
  if (step === undefined)
    throw new CaseError(`${where}: expected a Composition with a pipeline step of ${FUNCTION_NAME}`);
  return step.input;
}

function readObserved(object: unknown, outputs: readonly unknown[], where: string): [string, ObservedObject] {
  const key = readStrings(object, 'metadata', 'annotations').get(KEY_ANNOTATION);
  if (key === undefined) throw new CaseError(`${where}: every object needs the annotation ${KEY_ANNOTATION}`);
  return [key, { object, connectionDetails: readConnectionDetails(object, outputs) }];
}

/** Core reads the Secret that the object names for its connection details. */
function readConnectionDetails(object: unknown, outputs: readonly unknown[]): ReadonlyMap<string, Uint8Array> {
  const name = readPath(object, 'spec', 'writeConnectionSecretToRef', 'name');
  const secret = outputs.find(
    candidate =>
      typeof name === 'string' &&
      readPath(candidate, 'kind') === 'Secret' &&
      readPath(candidate, 'metadata', 'name') === name &&
      readPath(candidate, 'metadata', 'namespace') === readPath(object, 'metadata', 'namespace'),
  );
  const details = new Map<string, Uint8Array>();
  const data = readPath(secret, 'data');
  if (isRecord(data))
    for (const [key, value] of Object.entries(data))
      if (typeof value === 'string') details.set(key, fromBase64(value, `Secret ${String(name)}: data.${key}`));
  return details;
}

/** Without Buffer, which browsers don't have. */
function fromBase64(text: string, where: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  } catch {
    throw new CaseError(`${where}: expected base64`);
  }
}
