/**
 * Room cluster: name what we require of the cluster and read what came back.
 * In: namespace, selector, untrusted objects. Out: requirements, Schedules, routes, what exists of ours.
 * May import: errors, kube, observation, decision, gen, hcl/scan, api/bucket-name.
 * Must never: ask without a namespace, or believe that an answer is confined to it.
 */
import type { Requirement } from '../decision.ts';

/** Requirement keys. Core remembers them between reconciles, so they are API (invariant 7). */
export const REQUIREMENT = { namespace: 'namespace', routes: 'routes', schedules: 'schedules' } as const;

export const SCHEDULE = { apiVersion: 'k8up.io/v1', kind: 'Schedule' } as const;
export const HTTP_ROUTE = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' } as const;

/**
 * What we ask core for. Depends on the XR's namespace and the Input alone, so that every answer,
 * fatal ones included, carries the same requirements: core stops asking once they repeat (field report 4).
 *
 * @param namespace the XR's own; an empty one would mean every namespace
 * @param labels    the Input's selector
 * @param dns       whether routes matter; their kind may not exist in the cluster where they don't,
 *                  and a list of an unknown kind is an error of the whole step
 */
export function deriveRequirements(
  namespace: string,
  labels: Readonly<Record<string, string>>,
  dns: boolean,
): ReadonlyMap<string, Requirement> {
  const select = (type: { apiVersion: string; kind: string }): Requirement => ({
    kind: 'labels',
    apiVersion: type.apiVersion,
    objectKind: type.kind,
    namespace,
    labels: new Map(Object.entries(labels)),
  });
  const requirements = new Map<string, Requirement>([
    [
      REQUIREMENT.namespace,
      { kind: 'name', apiVersion: 'v1', objectKind: 'Namespace', namespace: undefined, name: namespace },
    ],
  ]);
  if (dns) requirements.set(REQUIREMENT.routes, select(HTTP_ROUTE));
  return requirements.set(REQUIREMENT.schedules, select(SCHEDULE));
}
