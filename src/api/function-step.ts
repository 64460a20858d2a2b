/** Our step in the pipeline of a Composition. */
import { isRecord, readPath } from '../kube.ts';

/**
 * What the Function is called in the cluster: the repository of its package, as Crossplane itself would name it where a
 * Configuration depends on it. Under any other name Crossplane would install a second one in the moment in which the
 * Lock doesn't hold the first (ADR 0016).
 */
export const FUNCTION_NAME = 'kueber-function-tofu-workspace';

/** The name that another organisation's repository gives it, and the short one that people write by hand. */
const FUNCTION_NAMES = /(?:^|-)function-tofu-workspace$/;

export interface FunctionStep {
  /** Unread: undefined where the step has none. */
  readonly input: unknown;
}

/** The first step of ours in any of the documents; undefined where there is none. */
export function findFunctionStep(documents: readonly unknown[]): FunctionStep | undefined {
  const step = documents
    .filter(document => readPath(document, 'kind') === 'Composition')
    .flatMap((document): readonly unknown[] => {
      const pipeline = readPath(document, 'spec', 'pipeline');
      return Array.isArray(pipeline) ? pipeline : [];
    })
    .filter(isRecord)
    .find(({ functionRef }) => FUNCTION_NAMES.test(String(readPath(functionRef, 'name'))));
  return step === undefined ? undefined : { input: step['input'] };
}
