import type { Input } from '../api/input.ts';
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import type { ObservedWorkspace } from '../cluster/workspace.ts';
import type { AppObjects } from '../cluster/app-objects.ts';
import type { Condition } from '../decision.ts';
import type { Intent } from '../intent/intent.ts';
import { deriveStateAddress } from '../intent/state-address.ts';
import { quoteShort } from '../errors.ts';
import type { Json } from '../kube.ts';
import {
  reportBuckets,
  reportCredentials,
  reportNamespace,
  reportRecords,
  reportSettled,
  type CredentialsReport,
} from './conditions.ts';
import { reportWorkspace } from './hints.ts';
import { reportSelector, reportStatus } from './status.ts';

export interface ReportSources {
  readonly input: Input;
  readonly xr: TofuWorkspace;
  readonly app: AppObjects;
  readonly intent: Intent;
  readonly unknownReleases: readonly string[];
  readonly delayedReleases: readonly string[];
  readonly credentials: CredentialsReport;
  /** The Workspace as observed. */
  readonly workspace: ObservedWorkspace | undefined;
}

export interface Report {
  readonly status: Readonly<Record<string, Json>>;
  readonly conditions: readonly Condition[];
  readonly warnings: readonly string[];
}

export function reportIntent(sources: ReportSources): Report {
  const { input, xr, app, intent } = sources;
  const { matchLabels } = input.selector;
  return {
    status: reportStatus({
      labels: matchLabels,
      read: { schedules: app.schedules.length, routes: app.routeCount ?? 0 },
      buckets: intent.buckets,
      dns: intent.dns,
      generation: xr.generation,
    }),
    conditions: [
      reportSettled(reportSelector(matchLabels), xr.namespace, {
        schedules: app.schedules.length,
        routes: app.routeCount,
        buckets: intent.buckets.filter(({ state }) => state !== 'Released').length,
        records: intent.dns?.records.length ?? 0,
      }),
      reportBuckets(intent.buckets),
      reportCredentials(sources.credentials),
      ...(intent.dns === undefined ? [] : [reportRecords(app.routeFaults)]),
      reportNamespace(app.namespaceLabels, xr.namespace),
      reportWorkspace(sources.workspace, {
        namespace: xr.namespace,
        namespaceLabels: Object.entries(input.namespaceLabels).map(([key, value]) => `${key}=${value}`),
        stateAddress: deriveStateAddress(intent.state),
        passphraseSecret: input.state.encryption.secretRef.name,
        stateSecret: input.state.credentialsSecretRef.name,
        b2Secret: input.backup.credentialsSecretRef.name,
      }),
    ],
    warnings: reportWarnings(sources),
  };
}

function reportWarnings({ xr, app, intent, unknownReleases, delayedReleases }: ReportSources): readonly string[] {
  const schedules = app.schedules.flatMap(({ name, furtherBuckets }) =>
    furtherBuckets.map(
      ({ path, bucket }) =>
        `Schedule ${xr.namespace}/${name}: ${path} names another bucket, ${bucket}, which is not composed: one Schedule, one backend`,
    ),
  );
  const routes = app.routes.flatMap(({ name, ignored }) =>
    ignored
      .filter(({ warn }) => warn)
      .map(({ host, why }) => `HTTPRoute ${xr.namespace}/${name}: no record for ${quoteShort(host)}: ${why}`),
  );
  return [
    ...(app.namespaceLabels.kind === 'no-namespace'
      ? [`Crossplane found no Namespace ${xr.namespace}: can't tell whether its Secrets are delivered`]
      : []),
    ...(app.foreign === 0
      ? []
      : [`${app.foreign} objects of other namespaces, kinds or labels were in the answer and are ignored`]),
    ...(xr.spec.stateMigratedTo === deriveStateAddress(intent.state)
      ? ['spec.stateMigratedTo: the state is there: take the field out, it opens the guards of the state']
      : []),
    ...(intent.protectBuckets && !xr.spec.retainBuckets
      ? [
          'spec.retainBuckets: false takes effect once OpenTofu has applied a module of ours: until then nobody knows what it would destroy',
        ]
      : []),
    ...delayedReleases.map(
      name => `spec.releaseBuckets: the release of ${name} begins once OpenTofu has moved it (spec.movedFrom)`,
    ),
    ...unknownReleases.map(name => `spec.releaseBuckets: unknown bucket ${name}: nothing remembers it`),
    ...schedules,
    ...routes,
  ];
}
