/**
 * One call, from bytes to bytes: encode(decide(decode(request))). The only try/catch in front of the server,
 * and one log line per call.
 */
import type { Decision, Refused } from './decision.ts';
import { readPath } from './kube.ts';
import type { Observation } from './observation.ts';
import type { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import { isMalformedRequestError, readRequest, writeResponse } from './wire/codec.ts';
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
  /** Told of every call, for whoever counts. */
  readonly observe?: Observe;
}

/** `malformed`: the bytes were no request; `failed`: no decision was reached; `too-large`: core would not take it. */
export type Outcome = Decision['kind'] | 'malformed' | 'failed' | 'too-large';

export type Observe = (outcome: Outcome, milliseconds: number) => void;

/** @throws MalformedRequestError where the bytes are no request, and for nothing else */
export type RunFunction = (request: Uint8Array) => Uint8Array;

/** grpc-go's default for what a client receives, which core leaves as it is: above it the whole answer is lost. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface Answer {
  readonly outcome: Outcome;
  readonly bytes: Uint8Array;
  /** undefined where not even the request could be read. */
  readonly observation: Observation | undefined;
  readonly decision: Decision | undefined;
}

/**
 * A request that can be read is always answered: a rejected call shows up as a bare gRPC error, without the
 * requirements that core needs to call again and without a reason that a user could act on.
 */
export function createFunction(parts: Parts): RunFunction {
  return bytes => {
    const start = performance.now();
    const request = receive(parts, bytes, start);
    const answer = limitAnswer(request, answerRequest(parts, request));
    const elapsed = performance.now() - start;
    logAnswer(parts.log, answer, elapsed);
    parts.observe?.(answer.outcome, elapsed);
    return answer.bytes;
  };
}

function receive({ log, observe }: Parts, bytes: Uint8Array, start: number): RunFunctionRequest {
  try {
    return readRequest(bytes);
  } catch (error) {
    const elapsed = performance.now() - start;
    const reason = isMalformedRequestError(error) ? error.message : nameError(error);
    log.info({ outcome: 'malformed', reason, bytes: bytes.length, ms: round(elapsed) }, 'call');
    observe?.('malformed', elapsed);
    throw error;
  }
}

function answerRequest({ decide, refuseUnexpected, log }: Parts, request: RunFunctionRequest): Answer {
  let observation: Observation | undefined;
  try {
    observation = decode(request);
    return finish(request, observation, decide(observation));
  } catch (error) {
    logUnexpected(log, error);
    return recover(refuseUnexpected, request, { observation, error });
  }
}

/** Encodes to bytes here, so that what the codec does not take is caught like any other fault. */
function finish(request: RunFunctionRequest, observation: Observation, decision: Decision): Answer {
  const bytes = writeResponse(encode(request, decision));
  return { outcome: decision.kind, bytes, observation, decision };
}

function recover(
  refuseUnexpected: Parts['refuseUnexpected'],
  request: RunFunctionRequest,
  { observation, error }: { observation: Observation | undefined; error: unknown },
): Answer {
  try {
    if (observation !== undefined) return finish(request, observation, refuseUnexpected(observation, error));
  } catch {
    // The first error is the cause and is logged; this one only shows that the cause reaches further.
  }
  const message = `cannot answer the request: unexpected ${nameError(error)} in the function; its log says where`;
  const bytes = writeResponse(encodeFault(request, message));
  return { outcome: 'failed', bytes, observation, decision: undefined };
}

/**
 * Core drops an answer that is too large and shows a gRPC error that names neither function nor object. A Fatal
 * result is short: core applies nothing beside one, so the objects of other steps can stay out of it.
 */
function limitAnswer(request: RunFunctionRequest, answer: Answer): Answer {
  const excess = answer.bytes.length - MAX_ANSWER_BYTES;
  if (excess <= 0) return answer;
  const fatal =
    `the answer has ${answer.bytes.length} bytes, ${excess} more than the ${MAX_ANSWER_BYTES} that Crossplane accepts: ` +
    'let fewer or smaller objects be desired, in this step and in those before it';
  const requirements = answer.decision?.requirements ?? new Map<string, never>();
  const refused: Refused = { kind: 'refused', requirements, conditions: [], warnings: [], fatal };
  const bytes = writeResponse(encode({ ...request, desired: undefined, context: undefined }, refused));
  return { outcome: 'too-large', bytes, observation: answer.observation, decision: refused };
}

/** Names, counts and reasons only: objects, connection details and credentials never reach a log. */
function logAnswer(log: Log, { outcome, observation, decision }: Answer, elapsed: number): void {
  const subject = {
    namespace: readPath(observation?.composite, 'metadata', 'namespace'),
    name: readPath(observation?.composite, 'metadata', 'name'),
  };
  log.info({ ...subject, outcome, ...countAnswer(decision), ms: round(elapsed) }, 'call');
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

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
