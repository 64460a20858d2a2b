import type { Input } from '../api/input.ts';
import { longestZone } from '../cluster/zone.ts';
import type { HttpRoute } from '../cluster/http-route.ts';
import { DoubtError } from '../errors.ts';
import { byCodeUnit } from '../kube.ts';
import type { DnsIntent, DnsRecord } from './intent.ts';

export interface DnsSources {
  readonly dns: Input['dns'];
  readonly routes: readonly HttpRoute[];
  /** A route could not be read: what exists stays until it can (doubt about DNS never blocks backups). */
  readonly doubt: boolean;
  /** Names of the records that may exist, from everything that remembers; may repeat. */
  readonly remembered: readonly string[];
}

/**
 * One record per host name, over all routes (field report 17).
 * @throws DoubtError where DNS is off and records exist: without the provider in the module OpenTofu
 *   could neither keep nor delete them
 */
export function deriveDns({ dns, routes, doubt, remembered }: DnsSources): DnsIntent | undefined {
  if (dns === undefined) {
    if (remembered.length === 0) return undefined;
    throw new DoubtError(
      'DnsOffWithRecords',
      `the Input has no dns, and records exist: ${[...new Set(remembered)].sort(byCodeUnit).join(', ')}. ` +
        'Let them go first: keep dns, take the label off the routes, wait until the Workspace was applied and its outputs list no records',
    );
  }
  const records = new Map<string, DnsRecord>();
  for (const { hosts } of routes) for (const host of hosts) records.set(host.name, host);
  if (doubt)
    for (const name of remembered) {
      const zone = longestZone(name, dns.zones);
      if (zone !== undefined) records.set(name, { name, zone });
    }
  const sorted = [...records.values()].sort((a, b) => byCodeUnit(a.name, b.name));
  return {
    zones: [...new Set(sorted.map(({ zone }) => zone))].sort(byCodeUnit),
    records: sorted,
    type: dns.record.type,
    content: dns.record.content,
    ttl: dns.record.ttl,
    managementUrl: dns.managementUrl,
  };
}
