/** Internal DNS records: the zone is looked up and never created here (field report 20). */
import type { BlockNode, BodyItem } from '../hcl/ast.ts';
import { attr, attribute, forValues, index, map, number, reference, string, strings, toset } from '../hcl/build.ts';
import type { DnsIntent } from '../intent/intent.ts';
import { OUTPUT, RESOURCE } from '../intent/names.ts';
import { output } from './output.ts';
import { dataInstances, dataSource, EACH_KEY, EACH_VALUE, instances, resource } from './typed-block.ts';

const LOCAL_ZONES = 'zones';
const LOCAL_RECORDS = 'records';

/** `locals` entries: the zone of each record, and the zones that are looked up. */
export function buildDnsLocals(dns: DnsIntent): readonly BodyItem[] {
  return [
    attr(LOCAL_RECORDS, map(dns.records.map(record => [record.name, string(record.zone)] as const))),
    attr(LOCAL_ZONES, strings(dns.zones)),
  ];
}

/** Zone lookup and record block; there even without a record, so that old ones can be removed. */
export function buildDnsRecords(dns: DnsIntent): readonly BlockNode[] {
  const zones = dataInstances('netbird_dns_zone', RESOURCE.dnsZone);
  return [
    dataSource('netbird_dns_zone', RESOURCE.dnsZone, {
      forEach: toset(reference<readonly string[]>('local', LOCAL_ZONES)),
      arguments: { domain: EACH_VALUE },
    }),
    resource('netbird_dns_record', RESOURCE.dnsRecord, {
      forEach: reference<ReadonlyMap<string, string>>('local', LOCAL_RECORDS),
      arguments: {
        zone_id: attribute(index(zones, EACH_VALUE), 'id'),
        name: EACH_KEY,
        type: string(dns.type),
        content: string(dns.content),
        ttl: number(dns.ttl),
      },
    }),
  ];
}

export function buildDnsOutputs(): readonly BlockNode[] {
  const records = instances('netbird_dns_record', RESOURCE.dnsRecord);
  return [
    output(
      OUTPUT.records,
      forValues('record', records, record => ({
        key: attribute(record, 'name'),
        value: attribute(record, 'content'),
      })),
    ),
  ];
}
