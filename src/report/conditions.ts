import type { NamespaceLabels } from '../cluster/namespace.ts';
import type { Condition } from '../decision.ts';
import type { BackupBucket } from '../intent/intent.ts';

/** Condition types. Each is True when all is well. API: dashboards and docs name them. */
export const CONDITION = {
  /** Schedules and routes were read and decided on. */
  intent: 'IntentSettled',
  /** Every bucket in the module is one that a Schedule backs up to. */
  buckets: 'BucketsScheduled',
  /** Every wanted bucket's credentials are in the Secret its Schedules read. */
  credentials: 'CredentialsDelivered',
  /** Every labelled route was read. */
  records: 'RecordsResolved',
  /** The Namespace carries the labels by which its Secrets are delivered. */
  namespace: 'NamespaceLabelled',
  /** OpenTofu applied the module; where it did not, which layer to look at. */
  workspace: 'WorkspaceApplied',
} as const;

type Status = Condition['status'];

export function condition(type: string, status: Status, reason: string, message = ''): Condition {
  return { type, status, reason, message };
}

export function reportWaiting(missing: readonly string[]): Condition {
  return condition(
    CONDITION.intent,
    'False',
    'WaitingForRequiredResources',
    `Crossplane has not answered for: ${missing.join(', ')}`,
  );
}

export function reportRefused(reason: string, message: string): Condition {
  return condition(CONDITION.intent, 'False', reason, message);
}

export interface SettledCounts {
  readonly schedules: number;
  /** undefined with DNS off. */
  readonly routes: number | undefined;
  readonly buckets: number;
  readonly records: number;
}

/** Says what was looked for and found, so that "it does not pick up my Schedule" has an answer (field report 33). */
export function reportSettled(selector: string, namespace: string, counts: SettledCounts): Condition {
  const routes = counts.routes === undefined ? '' : ` and ${count(counts.routes, 'HTTPRoute')}`;
  const records = counts.routes === undefined ? '' : ` and ${count(counts.records, 'record')}`;
  return condition(
    CONDITION.intent,
    'True',
    'Settled',
    `${count(counts.schedules, 'Schedule')}${routes} with ${selector} in ${namespace}: ` +
      `${count(counts.buckets, 'bucket')}${records}`,
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function reportBuckets(buckets: readonly BackupBucket[]): Condition {
  const named = (state: BackupBucket['state']): string =>
    buckets
      .filter(bucket => bucket.state === state)
      .map(({ name }) => name)
      .join(', ');
  const retained = named('Retained');
  const releasing = named('Releasing');
  const parts = [
    ...(retained === ''
      ? []
      : [`kept without a Schedule: ${retained} (to give one up, add it to spec.releaseBuckets)`]),
    ...(releasing === '' ? [] : [`being released: ${releasing} (delete nothing until they are Released)`]),
  ];
  if (parts.length === 0) return condition(CONDITION.buckets, 'True', 'AllScheduled');
  return condition(CONDITION.buckets, 'False', releasing === '' ? 'Retained' : 'Releasing', parts.join('; '));
}

export interface CredentialsReport {
  /** Buckets whose key OpenTofu has not made yet. */
  readonly pending: readonly string[];
  /** Buckets whose Secret is kept while the connection details lack their key. */
  readonly stale: readonly string[];
  /** One sentence per Schedule that reads another Secret. */
  readonly other: readonly string[];
}

export function reportCredentials({ pending, stale, other }: CredentialsReport): Condition {
  const parts = [
    ...(stale.length === 0
      ? []
      : [`the Workspace's connection details lack the key of ${stale.join(', ')}: the Secret is kept as it is`]),
    ...other,
    ...(pending.length === 0 ? [] : [`waiting for OpenTofu to make the key of ${pending.join(', ')}`]),
  ];
  if (parts.length === 0) return condition(CONDITION.credentials, 'True', 'Delivered');
  const reason = stale.length > 0 ? 'CredentialsStale' : other.length > 0 ? 'OtherSecretRead' : 'CredentialsPending';
  return condition(CONDITION.credentials, 'False', reason, parts.join('; '));
}

/** @param faults one sentence per route that could not be read; their records stay as they are */
export function reportRecords(faults: readonly string[]): Condition {
  if (faults.length === 0) return condition(CONDITION.records, 'True', 'Resolved');
  return condition(
    CONDITION.records,
    'False',
    'UnreadableRoute',
    `${faults.join('; ')}; the records that exist stay until it can be read`,
  );
}

export function reportNamespace(labels: NamespaceLabels, namespace: string): Condition {
  switch (labels.kind) {
    case 'labelled':
      return condition(CONDITION.namespace, 'True', 'Labelled');
    case 'missing':
      return condition(
        CONDITION.namespace,
        'False',
        'LabelMissing',
        `Namespace ${namespace} lacks ${labels.labels.join(', ')}: the Secrets that the Workspace reads are not delivered to it`,
      );
    case 'no-namespace':
      return condition(
        CONDITION.namespace,
        'Unknown',
        'NamespaceNotFound',
        `Crossplane found no Namespace ${namespace}`,
      );
  }
}
