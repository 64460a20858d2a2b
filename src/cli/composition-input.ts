/** The Input of the Composition's step, from the place that says most about the cluster that is looked at. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findFunctionStep, FUNCTION_NAME, type FunctionStep } from '../api/function-step.ts';
import { parseInput, type Input } from '../api/input.ts';
import { isDocumentError } from '../errors.ts';
import { readDocuments } from './documents.ts';
import { UsageError } from './usage-error.ts';

export interface FoundInput {
  readonly input: Input;
  /** Where it was found, for the terminal. */
  readonly from: string;
}

export interface InputSources {
  /** --composition */
  readonly file: string | undefined;
  /** What else was read: objects of the cluster, or of --objects. */
  readonly documents: readonly unknown[];
  readonly infra: string | undefined;
}

/**
 * A file that is named wins, then the Composition of the cluster, then the one beside the infra tree, then the defaults.
 * @throws UsageError where the Input is faulty, or the file has none
 */
export function findInput({ file, documents, infra }: InputSources): FoundInput {
  if (file !== undefined) {
    const step = findFunctionStep(readDocuments(file));
    if (step === undefined)
      throw new UsageError(`${file}: expected a Composition with a pipeline step of ${FUNCTION_NAME}`);
    return { input: parse(step, file), from: file };
  }
  const live = findFunctionStep(documents);
  if (live !== undefined) return { input: parse(live, 'the Composition in the cluster'), from: 'the cluster' };
  const beside = infra === undefined ? undefined : join(infra, '../apis/tofuworkspace/composition.yaml');
  if (beside !== undefined && existsSync(beside)) {
    const step = findFunctionStep(readDocuments(beside));
    if (step !== undefined) return { input: parse(step, beside), from: beside };
  }
  return { input: parseInput(undefined), from: 'its defaults: name yours with --composition' };
}

function parse({ input }: FunctionStep, where: string): Input {
  try {
    return parseInput(input);
  } catch (error) {
    if (isDocumentError(error)) throw new UsageError(`${where}: ${error.message}`);
    throw error;
  }
}
