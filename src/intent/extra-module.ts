import type { Input } from '../api/input.ts';
import type { AppObjects } from '../cluster/app-objects.ts';
import { DoubtError } from '../errors.ts';
import { parseExtraTemplate } from '../extra-module/parse-template.ts';
import { byCodeUnit } from '../kube.ts';
import { bucketKey } from './bucket-memory.ts';
import type { BackupBucket, DnsRecord, ExtraIntent } from './intent.ts';

export interface ExtraSources {
  readonly input: Input;
  readonly namespace: string;
  readonly app: AppObjects;
  readonly buckets: readonly BackupBucket[];
  readonly records: readonly DnsRecord[];
}

/**
 * What the Input's extra modules are made from.
 * @throws DoubtError where a template reads the routes and one of them can't be read: what was made for it would be
 *   destroyed, and unlike a record nothing remembers it
 */
export function deriveExtra({ input, namespace, app, buckets, records }: ExtraSources): ExtraIntent {
  const readers = input.extraModules.filter(({ name, template }) =>
    parseExtraTemplate(template, `extraModules.${name}`).reads.has('routes'),
  );
  if (app.routeFaults.length > 0 && readers.length > 0)
    throw new DoubtError(
      'UnreadableRouteInExtraModule',
      `the extra modules ${readers.map(({ name }) => name).join(', ')} read the routes, and one can't be read, so that ` +
        `what was made for it would be destroyed: ${app.routeFaults.join('; ')}`,
    );
  return {
    modules: input.extraModules,
    providers: [...input.providers.extra].sort((a, b) => byCodeUnit(a.name, b.name)),
    data: {
      namespace,
      schedules: app.schedules.map(({ name, backend }) => ({
        name,
        bucket: backend.kind === 'b2' ? bucketKey(backend.bucket) : '',
      })),
      routes: app.routes.map(({ name, hosts }) => ({ name, hosts: hosts.map(host => host.name) })),
      buckets: buckets.flatMap(bucket => {
        const { key, name, state } = bucket;
        if (state !== 'Wanted' && state !== 'Retained') return [];
        return [{ key, name, wanted: state === 'Wanted', schedules: state === 'Wanted' ? bucket.schedules : [] }];
      }),
      records: records.map(({ name, zone }) => ({ name, zone })),
    },
  };
}
