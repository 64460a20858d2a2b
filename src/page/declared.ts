import type { HttpRoute } from '../cluster/http-route.ts';
import type { Schedule } from '../cluster/schedule.ts';
import type { Considered } from '../decide.ts';
import type { Condition, Settled } from '../decision.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import type { BackupBucket, Intent } from '../intent/intent.ts';
import { CONDITION } from '../report/conditions.ts';
import type { EdgeDraft, GraphPart, NodeDraft } from './graph.ts';
import { nodeKey } from './node-key.ts';

/** What people wrote: the TofuWorkspace, Schedules, routes. */
export function describeDeclared({ app, intent }: Considered, { conditions }: Settled): GraphPart {
  return {
    nodes: [
      describeComposite(intent, conditions),
      ...app.schedules.map(schedule => describeSchedule(schedule, intent)),
      ...app.routes.map(describeRoute),
      ...app.routeFaults.map(describeUnreadable),
    ],
    edges: [
      { from: nodeKey.composite, to: nodeKey.object('Workspace', intent.name), label: 'composes' },
      ...app.schedules.flatMap(connectSchedule),
      ...app.routes.flatMap(connectRoute),
      ...intent.buckets.flatMap(bucket => connectComposite(bucket, intent)),
    ],
  };
}

/** A condition as one sentence. */
export function sayCondition({ type, status, reason, message }: Condition): string {
  return `${type} is ${status} (${reason})${message === '' ? '' : `: ${message}`}`;
}

function describeComposite(intent: Intent, conditions: readonly Condition[]): NodeDraft {
  const own = conditions.filter(({ type }) => type !== CONDITION.workspace);
  return {
    key: nodeKey.composite,
    column: 0,
    kind: 'TofuWorkspace',
    name: intent.name,
    state: own.some(({ status }) => status !== 'True') ? { word: 'look here', tone: 'attention' } : undefined,
    reasons: own.map(sayCondition),
  };
}

function connectComposite({ key, state }: BackupBucket, { adoptions }: Intent): readonly EdgeDraft[] {
  const connect = (label: string): EdgeDraft => ({ from: nodeKey.composite, to: nodeKey.bucket(key), label });
  const adopted = adoptions.some(adoption => adoption.key === key) ? [connect('adopts')] : [];
  switch (state) {
    case 'Wanted':
      return adopted;
    case 'Retained':
      return [...adopted, connect('remembers')];
    case 'Releasing':
      return [...adopted, connect('releases')];
    case 'Released':
      return [...adopted, connect('released')];
  }
}

function describeSchedule(schedule: Schedule, { buckets }: Intent): NodeDraft {
  const { name, backend, furtherBuckets } = schedule;
  const further = furtherBuckets.map(
    ({ path, bucket }) => `${path} names another bucket, ${bucket}, which is not composed: one Schedule, one backend`,
  );
  const base = { key: nodeKey.schedule(name), column: 0, kind: 'Schedule', name };
  if (backend.kind === 'other')
    return { ...base, state: { word: 'ignored', tone: 'off' }, reasons: [`ignored: ${backend.why}`, ...further] };
  const bucket = buckets.find(({ key }) => key === bucketKey(backend.bucket));
  const secret = bucket?.state === 'Wanted' ? bucket.secretName : undefined;
  const read = new Set([backend.credentials.id?.name, backend.credentials.secret?.name]);
  const other = secret !== undefined && (read.size !== 1 || !read.has(secret));
  return {
    ...base,
    state: other
      ? { word: 'reads another Secret', tone: 'attention' }
      : further.length > 0
        ? { word: 'partly read', tone: 'attention' }
        : undefined,
    reasons: [
      `${backend.path}.bucket is ${backend.bucket}`,
      `reads ${[...read].map(found => (found === undefined ? 'no Secret' : `Secret ${found}`)).join(' and ')}`,
      ...(other ? [`the key of its bucket is delivered in Secret ${secret}`] : []),
      ...further,
    ],
  };
}

function connectSchedule({ name, backend }: Schedule): readonly EdgeDraft[] {
  if (backend.kind === 'other') return [];
  return [{ from: nodeKey.schedule(name), to: nodeKey.bucket(bucketKey(backend.bucket)), label: 'backs up to' }];
}

function describeRoute({ name, hosts, ignored }: HttpRoute): NodeDraft {
  return {
    key: nodeKey.route(name),
    column: 0,
    kind: 'HTTPRoute',
    name,
    state: hosts.length === 0 ? { word: 'ignored', tone: 'off' } : undefined,
    reasons:
      hosts.length + ignored.length === 0
        ? ['ignored: it names no host; its listener is not ours to read']
        : [...hosts.map(host => `${host.name} lies in zone ${host.zone}`), ...ignored.map(sayIgnored)],
  };
}

function connectRoute({ name, hosts, ignored }: HttpRoute): readonly EdgeDraft[] {
  const from = nodeKey.route(name);
  return [
    ...hosts.map(host => ({ from, to: nodeKey.record(host.name), label: 'names' })),
    ...ignored.map(({ host }) => ({ from, to: nodeKey.ignoredHost(name, host), label: 'names' })),
  ];
}

export function sayIgnored({ host, why }: HttpRoute['ignored'][number]): string {
  return `${host} is ignored: ${why}`;
}

function describeUnreadable(fault: string, index: number): NodeDraft {
  return {
    key: nodeKey.unreadableRoute(index),
    column: 0,
    kind: 'HTTPRoute',
    name: 'cannot be read',
    state: { word: 'records stay', tone: 'attention' },
    reasons: [fault, 'the records that exist stay until it can be read'],
  };
}
