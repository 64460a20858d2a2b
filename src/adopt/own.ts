import type { Input } from '../api/input.ts';
import { parseTofuWorkspace, type TofuWorkspace } from '../api/tofu-workspace.ts';
import { parseSchedule } from '../cluster/schedule.ts';
import { readOutputMap } from '../cluster/workspace.ts';
import { keepFault } from '../errors.ts';
import { isB2Schedule } from '../intent/backup-bucket.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import { OUTPUT, WORKSPACE_NAME } from '../intent/names.ts';
import { byCodeUnit, matchesLabels, readPath, readStrings, type KubeObject } from '../kube.ts';
import type { LiveKind } from '../live/snapshot.ts';
import { reportSelector } from '../report/status.ts';
import type { AdoptionSources } from './adoption.ts';

/** What the namespace itself says. */
export interface Own {
  readonly xr: TofuWorkspace | undefined;
  /** Keys of the buckets that its Workspace's outputs list. */
  readonly listed: ReadonlySet<string>;
  /** Key and name as a Schedule writes it, sorted by key. */
  readonly wanted: readonly (readonly [key: string, name: string])[];
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

export function readOwn({ own, namespace, input }: AdoptionSources): Own {
  const objects = (kind: LiveKind): readonly KubeObject[] =>
    own[kind].kind === 'objects' ? own[kind].objects.filter(({ metadata }) => metadata.namespace === namespace) : [];
  const named = (kind: LiveKind): KubeObject | undefined =>
    objects(kind).find(({ metadata }) => metadata.name === WORKSPACE_NAME);
  const selected = Object.entries(input.selector.matchLabels);
  const refusals: string[] = [];
  const [object, workspace] = [named('TofuWorkspace'), named('Workspace')];
  const xr = object && keepFault(refusals, () => parseTofuWorkspace(object));
  const outputs = workspace && keepFault(refusals, () => readOutputMap(workspace, OUTPUT.buckets));
  const schedules = objects('Schedule')
    .filter(schedule => matchesLabels(readStrings(schedule, 'metadata', 'labels'), selected))
    .flatMap(schedule => keepFault(refusals, () => parseSchedule(schedule, input.backup.endpoints)) ?? [])
    .filter(isB2Schedule);
  const wanted = new Map(schedules.map(({ backend: { bucket } }) => [bucketKey(bucket), bucket]));
  return {
    xr,
    listed: new Set([...(outputs?.keys() ?? [])].map(bucketKey)),
    wanted: [...wanted].sort(([a], [b]) => byCodeUnit(a, b)),
    refusals: [...refusals, ...(object === undefined ? [] : refuseXr(object, xr, input))],
    notes:
      object === undefined
        ? [`there is no TofuWorkspace in ${namespace} yet: the entries are for the one that you make`]
        : [],
  };
}

function refuseXr(object: KubeObject, xr: TofuWorkspace | undefined, { selector }: Input): readonly string[] {
  const asked = readPath(object, 'status', 'selector');
  const expected = reportSelector(selector.matchLabels);
  return [
    ...(readPath(object, 'metadata', 'deletionTimestamp') === undefined
      ? []
      : ['the TofuWorkspace has been deleted already']),
    ...(xr?.spec.retainBuckets === false
      ? ['spec.retainBuckets is false: nothing is adopted meanwhile, a wrong id would destroy the bucket']
      : []),
    ...(typeof asked === 'string' && asked !== expected
      ? [
          `the TofuWorkspace selects by ${asked}, and the Composition read here by ${expected}: name the one in use by --composition`,
        ]
      : []),
  ];
}
