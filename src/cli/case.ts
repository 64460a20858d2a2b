import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../decide.ts';
import type { Decision } from '../decision.ts';
import { isRecord, readPath, readStrings } from '../kube.ts';
import type { ObservedObject, Observation } from '../observation.ts';
import { readDocuments } from './documents.ts';
import { resolveRequirement } from './resolve.ts';
import { UsageError } from './usage-error.ts';

const FUNCTION = 'function-tofu-workspace';
const KEY_ANNOTATION = 'crossplane.io/composition-resource-name';
const DEFAULT_COMPOSITION = join(import.meta.dirname, '../../apis/tofuworkspace/composition.yaml');

/** Files that stand for one reconcile. */
export interface CaseFiles {
  readonly xr: string;
  /** Schedules, HTTPRoutes, the Namespace. */
  readonly required: string | undefined;
  /** Objects that the XR composes already, each with its composition resource key as an annotation. */
  readonly observed: string | undefined;
  /** Connection Secrets of observed Workspaces. */
  readonly outputs: string | undefined;
  readonly composition: string | undefined;
}

/** Flags that name the files of a case one by one. */
export const CASE_FLAGS = {
  xr: { type: 'string' },
  required: { type: 'string' },
  observed: { type: 'string' },
  outputs: { type: 'string' },
  composition: { type: 'string' },
} as const;

/** What a usage text says about the case. */
export const CASE_USAGE = `A case folder holds xr.yaml and, as needed, required.yaml (Schedules, HTTPRoutes, the
Namespace), observed.yaml (what the XR composes already), outputs.yaml (connection
Secrets) and composition.yaml. Each can be named instead:

  --xr FILE  --required FILE|FOLDER  --observed FILE|FOLDER  --outputs FILE  --composition FILE
`;

/** The files of a case folder, by their fixed names; explicit ones win. */
export function findCaseFiles(folder: string | undefined, explicit: Partial<CaseFiles>): CaseFiles {
  const inFolder = (name: string): string | undefined => {
    const path = folder === undefined ? undefined : join(folder, name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  const xr = explicit.xr ?? inFolder('xr.yaml');
  if (xr === undefined)
    throw new UsageError(folder === undefined ? 'name a case folder or give --xr FILE' : `${folder} has no xr.yaml`);
  return {
    xr,
    required: explicit.required ?? inFolder('required.yaml'),
    observed: explicit.observed ?? inFolder('observed.yaml'),
    outputs: explicit.outputs ?? inFolder('outputs.yaml'),
    composition: explicit.composition ?? inFolder('composition.yaml'),
  };
}

/** What the function would be told first: nothing required is answered yet. */
export function readObservation(files: CaseFiles): Observation {
  const [composite, ...more] = readDocuments(files.xr);
  if (composite === undefined || more.length > 0) throw new UsageError(`${files.xr}: expected one document, the XR`);
  const outputs = files.outputs === undefined ? [] : readDocuments(files.outputs);
  return {
    input: readInput(files.composition),
    composite,
    observed: new Map(
      (files.observed === undefined ? [] : readDocuments(files.observed)).map(object =>
        readObserved(object, outputs, files.observed ?? ''),
      ),
    ),
    desired: new Map(),
    required: new Map(),
    capabilities: new Set(),
  };
}

/** Plays core: asks, answers what is required from the files, asks again. */
export function answerObservation(files: CaseFiles, observation: Observation): Observation {
  const documents = files.required === undefined ? [] : readDocuments(files.required);
  const { requirements } = decide(observation);
  return {
    ...observation,
    required: new Map([...requirements].map(([key, requirement]) => [key, resolveRequirement(requirement, documents)])),
  };
}

/** Reads and decides a case. */
export function decideCase(files: CaseFiles): { readonly observation: Observation; readonly decision: Decision } {
  const observation = answerObservation(files, readObservation(files));
  return { observation, decision: decide(observation) };
}

/** The Input of our step in a Composition, the shipped one where none is named. */
export function readInput(path = DEFAULT_COMPOSITION): unknown {
  const steps = readDocuments(path).flatMap(document => {
    const pipeline = readPath(document, 'spec', 'pipeline');
    return Array.isArray(pipeline) ? (pipeline as readonly unknown[]) : [];
  });
  const step = steps.find(candidate => readPath(candidate, 'functionRef', 'name') === FUNCTION);
  if (step === undefined) throw new UsageError(`${path}: expected a pipeline step of ${FUNCTION}`);
  return readPath(step, 'input');
}

function readObserved(object: unknown, outputs: readonly unknown[], path: string): [string, ObservedObject] {
  const key = readStrings(object, 'metadata', 'annotations').get(KEY_ANNOTATION);
  if (key === undefined) throw new UsageError(`${path}: every object needs the annotation ${KEY_ANNOTATION}`);
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
      if (typeof value === 'string') details.set(key, Buffer.from(value, 'base64'));
  return details;
}
