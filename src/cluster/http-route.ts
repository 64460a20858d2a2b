import { DocumentError, FieldError } from '../errors.ts';
import { longestZone } from './zone.ts';
import type { HTTPRoute } from '../gen/kubernetes/http-route.ts';
import { byCodeUnit, nameObject, readPath, type KubeObject } from '../kube.ts';

export interface HttpRoute {
  readonly name: string;
  /** Host names under a zone, lower-case, without final dot, unique, sorted. */
  readonly hosts: readonly { readonly name: string; readonly zone: string }[];
  /** Host names that get no record, and why. `warn` where a user probably expects one. */
  readonly ignored: readonly { readonly host: string; readonly why: string; readonly warn: boolean }[];
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads a labelled HTTPRoute. No host names means no record: the listener's are not ours to read
 * (field report 18).
 *
 * @param zones internal zones, lower-case, without final dot; a host belongs to the longest that fits
 * @throws DocumentError where `spec.hostnames` is not a list of strings
 */
export function parseHttpRoute(object: KubeObject, zones: readonly string[]): HttpRoute {
  const hosts = new Map<string, string>();
  const ignored: { host: string; why: string; warn: boolean }[] = [];
  for (const written of readHostnames(object)) {
    const host = written.toLowerCase().replace(/\.$/, '');
    const zone = longestZone(host, zones);
    const why = zone === undefined ? 'in none of the zones' : refuseHost(host);
    if (zone === undefined || why !== undefined)
      ignored.push({ host: written, why: why ?? '', warn: zone !== undefined });
    else hosts.set(host, zone);
  }
  return {
    name: object.metadata.name,
    hosts: [...hosts].map(([name, zone]) => ({ name, zone })).sort((a, b) => byCodeUnit(a.name, b.name)),
    ignored: ignored.sort((a, b) => byCodeUnit(a.host, b.host)),
  };
}

function readHostnames(object: KubeObject): readonly string[] {
  const field = 'hostnames' satisfies keyof HTTPRoute['spec'];
  const path = `spec.${field}`;
  const hostnames = readPath(object, 'spec', field);
  if (hostnames === undefined || hostnames === null) return [];
  if (!Array.isArray(hostnames))
    throw new DocumentError(nameObject(object), [new FieldError(path, 'a list of strings', { value: hostnames })]);
  const faults = hostnames.flatMap((host: unknown, index) =>
    typeof host === 'string' && host !== ''
      ? []
      : [new FieldError(`${path}[${index}]`, 'a non-empty string', { value: host })],
  );
  if (faults.length > 0) throw new DocumentError(nameObject(object), faults);
  return hostnames as readonly string[];
}

function refuseHost(host: string): string | undefined {
  if (host.startsWith('*.')) return 'a NetBird zone holds no wildcard records';
  if (host.length > 253 || !host.split('.').every(label => LABEL.test(label))) return 'not a valid host name';
  return undefined;
}
