/**
 * Job:         turn the SDK's messages into our plain values, and our decision into the SDK's messages.
 * In:          RunFunctionRequest (decode), Decision (encode).
 * Out:         Observation (decode), RunFunctionResponse (encode).
 * May import:  errors, kube, and the types of Observation and Decision; the SDK.
 * Must never:  decide, default or merge anything, or write to the request.
 */
import { Capability as WireCapability, type RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import { byCodeUnit } from '../kube.ts';
import type { Capability, Observation } from '../observation.ts';

const CAPABILITIES: ReadonlyMap<WireCapability, Capability> = new Map([
  [WireCapability.CAPABILITY_CAPABILITIES, 'capabilities'],
  [WireCapability.CAPABILITY_REQUIRED_RESOURCES, 'required-resources'],
  [WireCapability.CAPABILITY_CONDITIONS, 'conditions'],
]);

/**
 * Only `required_resources` is read: core fills the deprecated `extra_resources` for functions that
 * ask through the deprecated field, which we never do.
 */
export function decode(request: RunFunctionRequest): Observation {
  return {
    input: request.input,
    composite: request.observed?.composite?.resource,
    observed: sortedMap(request.observed?.resources, resource => ({
      object: resource.resource,
      connectionDetails: sortedMap(resource.connectionDetails, (bytes: Uint8Array) => bytes),
    })),
    desired: sortedMap(request.desired?.resources, resource => resource.resource),
    required: sortedMap(request.requiredResources, resources => resources.items.map(item => item.resource)),
    capabilities: decodeCapabilities(request.meta?.capabilities ?? []),
  };
}

function decodeCapabilities(advertised: readonly WireCapability[]): ReadonlySet<Capability> {
  const known = new Set<Capability>();
  for (const capability of advertised) {
    const name = CAPABILITIES.get(capability);
    if (name !== undefined) known.add(name);
  }
  return known;
}

/**
 * Own properties only: the SDK decodes a map entry named `__proto__` into the prototype of the map's
 * object, and a look-up by name would find its fields. Sorted, because core sends maps in random order.
 */
function sortedMap<From, To>(
  entries: Readonly<Record<string, From>> | undefined,
  convert: (value: From) => To,
): ReadonlyMap<string, To> {
  return new Map(
    Object.entries(entries ?? {})
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([key, value]) => [key, convert(value)]),
  );
}
