import { COMPOSED_LABEL } from '../compose/labels.ts';
import { connectionSecretName } from '../compose/workspace.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { readStrings } from '../kube.ts';
import { readSecretNames } from './holds.ts';
import type { Hold } from './plan.ts';
import type { Situation } from './situation.ts';

/** What goes once the namespace is taken out of git, one after the other, by the objects that are there. */
export function deriveOrder(situation: Situation, holds: readonly Hold[]): readonly string[] {
  const { sources, objects, stage, records } = situation;
  if (stage === 'unknown' || stage === 'absent') return [];
  const { namespace } = sources;
  const usages = holds.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const credentials = findCredentials(situation);
  const read = readSecretNames(objects);
  return [
    `TofuWorkspace ${namespace}/${WORKSPACE_NAME}: from its deletion on the function is not run any more${
      credentials.length === 0 ? '' : `, and the credentials go: Secret ${credentials.join(', Secret ')}`
    }`,
    `Workspace ${namespace}/${WORKSPACE_NAME}: its destroy runs until it succeeds; ${describeDestroy(situation, records)}`,
    usages.length === 0
      ? 'Usages: none'
      : `Usages ${usages.join(', ')}: each when it sees that the Workspace is gone, which it looks for every 30 seconds`,
    `ProviderConfig ${WORKSPACE_NAME} and Secret ${connectionSecretName(WORKSPACE_NAME)}`,
    ...(read.length === 0
      ? []
      : [
          `Secrets ${read.join(', ')}: delivered by others; refused to go until here, so their deletion is asked for again`,
        ]),
    `Namespace ${namespace}, with all else in it: volumes of the app too`,
  ];
}

function describeDestroy({ buckets, protection }: Situation, records: readonly string[]): string {
  const wanted = buckets.filter(({ state }) => state === 'Wanted').map(({ name }) => name);
  const parts = [
    ...(wanted.length === 0 ? [] : [`the application keys of ${wanted.join(', ')}`]),
    ...(records.length === 0 ? [] : [`the records ${records.join(', ')}`]),
    ...(buckets.length === 0
      ? []
      : [`the buckets ${buckets.map(({ name }) => name).join(', ')}, where they are empty`]),
  ];
  const what = parts.length === 0 ? 'nothing is in its state' : `it takes ${parts.join('; ')}`;
  const isRefused = buckets.length > 0 && protection?.buckets === 'true';
  return isRefused ? `as the module is now it is refused, and nothing goes (without prevent_destroy, ${what})` : what;
}

/** The Secrets that Schedules read: composed, so they go with the TofuWorkspace. */
function findCredentials({ objects }: Situation): readonly string[] {
  return objects.secrets
    .filter(secret => readStrings(secret, 'metadata', 'labels').get(COMPOSED_LABEL) === 'true')
    .map(({ metadata }) => metadata.name);
}
