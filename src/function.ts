/**
 * One call: encode(decide(decode(request))). The only try/catch in front of the server, and one log
 * line per call.
 */
import type { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import type { Decision, Refused } from './decision.ts';
import { readPath } from './kube.ts';
import type { Observation } from './observation.ts';
import { decode } from './wire/decode.ts';
import { encode, encodeFault } from './wire/encode.ts';

/** The part of a pino logger that is used here. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Parts {
  readonly decide: (observation: Observation) => Decision;
  /** Keeps the requirements on an answer that `decide` could not give. */
  readonly refuseUnexpected: (observation: Observation, error: unknown) => Refused;
  readonly log: Log;
}

export type RunFunction = (request: RunFunctionRequest) => RunFunctionResponse;

interface Answer {
  readonly response: RunFunctionResponse;
  /** undefined where not even the request could be read. */
  readonly observation: Observation | undefined;
  readonly decision: Decision | undefined;
}

/**
 * The function never throws: a rejected call shows up as a bare gRPC error, without the requirements
 * that core needs to call again and without a reason that a user could act on.
 */
export function createFunction(parts: Parts): RunFunction {
  return request => {
    const start = performance.now();
    const answer = answerRequest(parts, request);
    logAnswer(parts.log, answer, performance.now() - start);
    return answer.response;
  };
}

function answerRequest({ decide, refuseUnexpected, log }: Parts, request: RunFunctionRequest): Answer {
  let observation: Observation | undefined;
  try {
    observation = decode(request);
    const decision = decide(observation);
    return { observation, decision, response: encode(request, decision) };
  } catch (error) {
    logUnexpected(log, error);
    return recover(refuseUnexpected, request, { observation, error });
  }
}

function recover(
  refuseUnexpected: Parts['refuseUnexpected'],
  request: RunFunctionRequest,
  { observation, error }: { observation: Observation | undefined; error: unknown },
): Answer {
  try {
    if (observation !== undefined) {
      const decision = refuseUnexpected(observation, error);
      return { observation, decision, response: encode(request, decision) };
    }
  } catch {
    // The first error is the cause and is logged; this one only shows that the cause reaches further.
  }
  const response = encodeFault(
    request,
    `cannot answer the request: unexpected ${nameError(error)} in the function; its log says where`,
  );
  return { observation, decision: undefined, response };
}

/** Names, counts and reasons only: objects, connection details and credentials never reach a log. */
function logAnswer(log: Log, { observation, decision }: Answer, elapsed: number): void {
  const subject = {
    namespace: readPath(observation?.composite, 'metadata', 'namespace'),
    name: readPath(observation?.composite, 'metadata', 'name'),
  };
  const outcome = decision?.kind ?? 'failed';
  log.info({ ...subject, outcome, ...countAnswer(decision), ms: Math.round(elapsed * 100) / 100 }, 'call');
  if (decision === undefined) return;
  log.debug(
    {
      ...subject,
      outcome,
      fatal: decision.kind === 'refused' ? decision.fatal : undefined,
      warnings: decision.warnings,
      conditions: decision.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
      requirements: [...decision.requirements.keys()],
    },
    'reasons',
  );
}

function countAnswer(decision: Decision | undefined): { resources: number; warnings: number } {
  return {
    resources: decision === undefined || decision.kind === 'refused' ? 0 : decision.resources.size,
    warnings: decision?.warnings.length ?? 0,
  };
}

/**
 * Where, not what: the message of an unexpected error can quote the data it tripped over (that of
 * `JSON.parse` does), so the log gets its class and the stack's code locations.
 */
function logUnexpected(log: Log, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.split('\n').filter(line => /^\s+at /.test(line));
  log.error({ error: nameError(error), at: at.map(line => line.trim()) }, 'unexpected error');
}

function nameError(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
