import type { Considered } from '../decide.ts';
import type { Settled } from '../decision.ts';
import { quote } from '../hcl/quote.ts';
import type { BackupBucket, DnsIntent, DnsRecord, Intent } from '../intent/intent.ts';
import { RESOURCE } from '../intent/names.ts';
import { readPath } from '../kube.ts';
import { BUCKET_FATE } from './bucket-fate.ts';
import { sayIgnored } from './declared.ts';
import type { EdgeDraft, GraphPart, NodeDraft, NodeText } from './graph.ts';
import { nodeKey } from './node-key.ts';

/** What the declarations lead to: buckets, records, and hosts that lead to nothing. */
export function describeWanted({ app, intent }: Considered, { resources }: Settled): GraphPart {
  const workspace = [...resources.values()].find(({ object }) => object.kind === 'Workspace')?.object;
  const lines = readLines(readPath(workspace, 'spec', 'forProvider', 'module'));
  const toWorkspace = (key: string, label: string): EdgeDraft => ({
    from: key,
    to: nodeKey.object('Workspace', workspace?.metadata.name ?? ''),
    label,
  });
  const records = intent.dns?.records ?? [];
  return {
    nodes: [
      ...intent.buckets.map(bucket => describeBucket(bucket, intent, lines)),
      ...records.map(record => describeRecord(record, intent.dns, lines)),
      ...app.routes.flatMap(({ name, ignored }) =>
        ignored.map((host): NodeDraft => ({
          key: nodeKey.ignoredHost(name, host.host),
          column: 1,
          kind: 'Host name',
          name: host.host,
          state: { word: 'ignored', tone: host.warn ? 'attention' : 'off' },
          reasons: [sayIgnored(host)],
        })),
      ),
    ],
    edges: [
      ...intent.buckets
        .filter(({ state }) => state !== 'Released')
        .map(({ key, state }) => toWorkspace(nodeKey.bucket(key), state === 'Releasing' ? 'leaves' : 'stands in')),
      ...records.map(({ name }) => toWorkspace(nodeKey.record(name), 'stands in')),
    ],
  };
}

const STATE_TONE = { Wanted: 'good', Retained: 'attention', Releasing: 'attention', Released: 'off' } as const;

function describeBucket(bucket: BackupBucket, intent: Intent, lines: readonly string[]): NodeDraft {
  const { key, name, state } = bucket;
  const adoption = intent.adoptions.find(candidate => candidate.key === key);
  const wanted =
    bucket.state === 'Wanted'
      ? [
          `Schedules that back up to it: ${bucket.schedules.join(', ')}`,
          `application key ${bucket.applicationKeyName}, delivered in Secret ${bucket.secretName}`,
        ]
      : [];
  const protection = `prevent_destroy is ${intent.protectBuckets ? 'on: no plan can destroy it' : 'off: deleting the TofuWorkspace destroys it'}`;
  return {
    key: nodeKey.bucket(key),
    column: 1,
    kind: 'Bucket',
    name,
    state: { word: state, tone: STATE_TONE[state] },
    reasons: [
      `${state}: ${BUCKET_FATE[state]}`,
      ...wanted,
      ...(state === 'Wanted' || state === 'Retained' ? [protection] : []),
      ...(state === 'Retained' ? ['no Schedule names it; to give it up, add it to spec.releaseBuckets'] : []),
      ...(adoption === undefined ? [] : [`imported by bucket id ${adoption.bucketId} (spec.adoptBuckets)`]),
      ...(intent.moves.some(move => move.key === key) ? ['taken over from another module (spec.movedFrom)'] : []),
    ],
    texts: excerpt(`b2_bucket.${RESOURCE.bucket}[${quote(key)}]`, [key, name], lines),
  };
}

function describeRecord({ name, zone }: DnsRecord, dns: DnsIntent | undefined, lines: readonly string[]): NodeDraft {
  return {
    key: nodeKey.record(name),
    column: 1,
    kind: 'DNS record',
    name,
    reasons: [
      `in zone ${zone} of NetBird`,
      ...(dns === undefined ? [] : [`record ${dns.type} ${dns.content} ttl ${dns.ttl}`]),
    ],
    texts: excerpt(`netbird_dns_record.${RESOURCE.dnsRecord}[${quote(name)}]`, [name], lines),
  };
}

function readLines(module: unknown): readonly string[] {
  return typeof module === 'string' ? module.split('\n') : [];
}

/** The lines of the module that name something, with their numbers. */
function excerpt(address: string, names: readonly string[], lines: readonly string[]): readonly NodeText[] {
  const literals = [...new Set(names)].map(quote);
  const width = String(lines.length).length;
  const found = lines.flatMap((line, index) =>
    literals.some(literal => line.includes(literal)) ? [`${String(index + 1).padStart(width)}  ${line}`] : [],
  );
  return found.length === 0 ? [] : [{ title: `${address}: where main.tf names it`, text: `${found.join('\n')}\n` }];
}
