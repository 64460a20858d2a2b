import {
  type Condition as WireCondition,
  Ready,
  type Requirements,
  type Resource,
  type ResourceSelector,
  type Result,
  type RunFunctionRequest,
  type RunFunctionResponse,
  Severity,
  type State,
  Status,
  Target,
} from '@crossplane-org/function-sdk-typescript';
import type { Condition, Decision, DesiredObject, Requirement, Settled, Waiting } from '../decision.ts';
import { byCodeUnit, isRecord, readPath } from '../kube.ts';
import { refuseUnencodable } from './encodable.ts';

const STATUS: Readonly<Record<Condition['status'], Status>> = {
  True: Status.STATUS_CONDITION_TRUE,
  False: Status.STATUS_CONDITION_FALSE,
  Unknown: Status.STATUS_CONDITION_UNKNOWN,
};

/**
 * What other steps desire passes through; what is ours is assigned. The SDK's own setters merge and
 * concatenate lists, so that an object set twice comes out doubled and a removed key stays.
 *
 * The response shares values with the request and the decision: it is there to be written at once.
 *
 * @throws UnencodableError where an object of ours holds what the wire cannot carry
 */
export function encode(request: RunFunctionRequest, decision: Decision): RunFunctionResponse {
  return {
    context: request.context,
    meta: { tag: request.meta?.tag ?? '', ttl: { seconds: ttlSeconds(decision), nanos: 0 } },
    desired: decision.kind === 'refused' ? copyState(request.desired) : encodeDesired(request, decision),
    requirements: encodeRequirements(decision.requirements),
    results: encodeResults(decision),
    conditions: decision.conditions.map(encodeCondition),
  };
}

/** The answer when not even the request could be read: a Fatal result, and nothing else changes. */
export function encodeFault(request: RunFunctionRequest, message: string): RunFunctionResponse {
  return {
    context: request.context,
    meta: { tag: request.meta?.tag ?? '', ttl: { seconds: 0, nanos: 0 } },
    desired: copyState(request.desired),
    requirements: undefined,
    results: [encodeResult(Severity.SEVERITY_FATAL, message)],
    conditions: [],
  };
}

/**
 * Zero is said, never left out: without a TTL core falls back to one of its own and may cache an
 * answer that was made before all required objects were known.
 */
function ttlSeconds(decision: Decision): number {
  if (decision.kind !== 'settled') return 0;
  if (!Number.isSafeInteger(decision.ttlSeconds) || decision.ttlSeconds < 0)
    throw new RangeError(`ttlSeconds: expected a whole number of at least 0, got ${decision.ttlSeconds}`);
  return decision.ttlSeconds;
}

function copyState(state: State | undefined): State | undefined {
  return state === undefined ? undefined : { composite: state.composite, resources: sortedRecord(state.resources) };
}

function encodeDesired(request: RunFunctionRequest, decision: Waiting | Settled): State {
  const ours = Array.from(decision.resources, ([key, desired]): [string, Resource] => [
    key,
    encodeResource(desired, `desired.resources.${key}`),
  ]);
  return {
    composite: encodeComposite(request, decision),
    resources: sortedRecord({ ...request.desired?.resources, ...Object.fromEntries(ours) }),
  };
}

function encodeResource({ object, ready }: DesiredObject, path: string): Resource {
  refuseUnencodable(object, path);
  return {
    resource: object,
    connectionDetails: {},
    ready: ready === undefined ? Ready.READY_UNSPECIFIED : ready ? Ready.READY_TRUE : Ready.READY_FALSE,
  };
}

function encodeComposite(request: RunFunctionRequest, decision: Waiting | Settled): Resource {
  const foreign = request.desired?.composite;
  return {
    resource: encodeCompositeObject(request, decision.status),
    connectionDetails: foreign?.connectionDetails ?? {},
    ready: decision.kind === 'waiting' ? Ready.READY_FALSE : (foreign?.ready ?? Ready.READY_UNSPECIFIED),
  };
}

/** Earlier steps' fields stay; each of our status fields replaces what stood under its name. */
function encodeCompositeObject(
  request: RunFunctionRequest,
  status: Settled['status'] | undefined,
): Record<string, any> {
  const object: Record<string, unknown> = { ...request.desired?.composite?.resource };
  for (const field of ['apiVersion', 'kind']) {
    const observed = readPath(request.observed?.composite?.resource, field);
    if (!Object.hasOwn(object, field) && observed !== undefined) object[field] = observed;
  }
  if (status === undefined || Object.keys(status).length === 0) return object;
  const foreign = readPath(object, 'status');
  refuseUnencodable(status, 'desired.composite.status');
  return { ...object, status: { ...(isRecord(foreign) ? foreign : {}), ...status } };
}

/** Always `resources`: core answers the deprecated `extra_resources` in a field that we do not read. */
function encodeRequirements(requirements: ReadonlyMap<string, Requirement>): Requirements {
  const selectors = Array.from(requirements, ([key, requirement]): [string, ResourceSelector] => [
    key,
    encodeSelector(requirement),
  ]);
  const resources = sortedRecord(Object.fromEntries(selectors));
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the message type insists on the field; it stays empty
  return { extraResources: {}, resources, schemas: {} };
}

/**
 * An absent namespace and an empty one both mean "every namespace" to core when it matches labels,
 * so a selector by labels without one would read strangers' objects: better no answer than that one.
 */
function encodeSelector(requirement: Requirement): ResourceSelector {
  const { apiVersion, objectKind: kind, namespace } = requirement;
  if (namespace === '') throw new RangeError(`requirement for ${kind}: expected a namespace, got an empty string`);
  switch (requirement.kind) {
    case 'labels':
      return {
        apiVersion,
        kind,
        namespace,
        matchName: undefined,
        matchLabels: { labels: sortedRecord(Object.fromEntries(requirement.labels)) },
      };
    case 'name':
      return { apiVersion, kind, namespace, matchName: requirement.name, matchLabels: undefined };
  }
}

function encodeResults(decision: Decision): Result[] {
  const warnings = decision.warnings.map(message => encodeResult(Severity.SEVERITY_WARNING, message));
  return decision.kind === 'refused' ? [encodeResult(Severity.SEVERITY_FATAL, decision.fatal), ...warnings] : warnings;
}

function encodeResult(severity: Severity, message: string): Result {
  return { severity, message, reason: undefined, target: Target.TARGET_COMPOSITE };
}

function encodeCondition({ type, status, reason, message }: Condition): WireCondition {
  return { type, status: STATUS[status], reason, message, target: Target.TARGET_COMPOSITE };
}

/** `Object.fromEntries` makes `__proto__` an ordinary key, where an assignment would set the prototype. */
function sortedRecord<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byCodeUnit(a, b)));
}
