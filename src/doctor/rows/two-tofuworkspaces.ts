import { printKeepPatch } from '../../cluster/deletion.ts';
import type { KubeObject } from '../../kube.ts';
import { WORKSPACE_NAME } from '../../intent/names.ts';
import { parseApps } from '../../infra/apps.ts';
import { NAMESPACE, patchWorkspace, pauseFirst, WORKSPACES } from '../commands.ts';
import { count, inCluster, inInfra, type Looked } from '../look.ts';
import { groupBy } from '../namespaces.ts';
import { printEvidence, type Fix, type Row } from '../row.ts';
import { placeApps, placeLive, type Placed } from '../schedules.ts';

function fixesFor(namespace: string, other: string): readonly Fix[] {
  return [
    pauseFirst(namespace),
    {
      does: `Find out which of them has the buckets in its state: the outputs of its Workspace say so. Keep that one, and the name \`${WORKSPACE_NAME}\`.`,
      commands: [`kubectl -n ${namespace} get ${WORKSPACES} -o yaml`],
    },
    {
      does:
        `Take Delete out of the policies of the other Workspace, so that nothing at Backblaze goes with it, then delete the other TofuWorkspace ` +
        'and take it out of git. A paused object is not deleted: unpause the other one then. Its state object stays in the state bucket until you have compared the two.',
      commands: [patchWorkspace(namespace, printKeepPatch(), other)],
    },
  ];
}

function findSecond(objects: readonly Placed[], what: string): Looked {
  const problems = [...groupBy(objects, ({ namespace }) => namespace)].flatMap(([namespace, group]) =>
    group
      .filter(({ object }) => group.length > 1 && object.metadata.name !== WORKSPACE_NAME)
      .concat(
        group.length > 1 && group.every(({ object }) => object.metadata.name === WORKSPACE_NAME) ? group.slice(1) : [],
      )
      .map(({ object, evidence }) => ({
        kind: 'broken' as const,
        evidence,
        found:
          `namespace ${namespace} has ${group.length} ${what}s (${group.map(entry => printEvidence(entry.evidence)).join(', ')}): ` +
          'two states would claim the same buckets',
        fixes: fixesFor(namespace, object.metadata.name),
      })),
  );
  return { problems, looked: `${count(objects.length, what)}, one a namespace` };
}

/** Workspaces of the function; a namespace may have others, for other things. */
function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.['tofuworkspace.fn.kueber.eu/composed'] === 'true';
}

export const twoTofuWorkspaces: Row = {
  id: 'two-tofuworkspaces',
  symptom: 'Buckets "already exist", or two Workspaces of one namespace undo each other',
  seam: 'app ↔ Crossplane',
  happened: 'A namespace has two TofuWorkspaces, or two Workspaces of theirs: two states claim the same buckets',
  lookAt: 'TofuWorkspaces and Workspaces of the namespace; the name must be `workspace`',
  fixes: fixesFor(NAMESPACE, 'OTHER'),
  look: sources => [
    ...inInfra(sources, tree =>
      findSecond(placeApps(parseApps(tree.files, tree.path('k8s/apps')), 'TofuWorkspace'), 'TofuWorkspace'),
    ),
    ...inCluster(sources, ['TofuWorkspace', 'Workspace'], objects => {
      const xrs = findSecond(objects.TofuWorkspace.map(placeLive), 'TofuWorkspace');
      const workspaces = findSecond(objects.Workspace.filter(isOurs).map(placeLive), 'Workspace');
      return {
        problems: [...xrs.problems, ...workspaces.problems],
        looked: `${xrs.looked}; ${workspaces.looked}`,
      };
    }),
  ],
};
