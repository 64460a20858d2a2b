import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerCase, observeCase, readInput as readInputOf, type Source } from '../case/observation.ts';
import { decide } from '../decide.ts';
import type { Decision } from '../decision.ts';
import type { Observation } from '../observation.ts';
import { readDocuments } from './documents.ts';
import { blameCase, UsageError } from './usage-error.ts';

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
  return blameCase(() =>
    observeCase({
      xr: readSource(files.xr),
      composition: readSource(files.composition ?? DEFAULT_COMPOSITION),
      observed: readSource(files.observed),
      outputs: readSource(files.outputs),
    }),
  );
}

/** Plays core: asks, answers what is required from the files, asks again. */
export function answerObservation(files: CaseFiles, observation: Observation): Observation {
  return answerCase(observation, readSource(files.required).documents);
}

/** Reads and decides a case. */
export function decideCase(files: CaseFiles): { readonly observation: Observation; readonly decision: Decision } {
  const observation = answerObservation(files, readObservation(files));
  return { observation, decision: decide(observation) };
}

/** The Input of our step in a Composition, the shipped one where none is named. */
export function readInput(path = DEFAULT_COMPOSITION): unknown {
  return blameCase(() => readInputOf(readSource(path)));
}

function readSource(path: string | undefined): Source {
  return { where: path ?? '', documents: path === undefined ? [] : readDocuments(path) };
}
