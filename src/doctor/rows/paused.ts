import { NAMESPACE, unpauseTofuWorkspace, unpauseWorkspace } from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { isBeingDeleted, isPaused, namespaceOf } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';

function fixesFor(namespace: string): readonly Fix[] {
  return [
    {
      does: 'Nobody at work on it? Unpause one at a time, and read the module between the two (docs/runbooks/pause.md).',
      commands: [unpauseTofuWorkspace(namespace), unpauseWorkspace(namespace)],
    },
  ];
}

export const paused: Row = {
  id: 'paused',
  symptom: 'Nothing happens in a namespace, no error either',
  seam: 'app ↔ Crossplane',
  happened: 'A runbook paused the TofuWorkspace or the Workspace, and nobody took it back',
  lookAt: 'Annotation `crossplane.io/paused`',
  fixes: fixesFor(NAMESPACE),
  look: sources =>
    inCluster(sources, ['TofuWorkspace', 'Workspace'], objects => {
      const all = [...objects.TofuWorkspace, ...objects.Workspace].filter(object => !isBeingDeleted(object));
      return {
        problems: all.filter(isPaused).map(object => ({
          kind: 'warning',
          evidence: ofObject(object),
          found: `${object.kind} is paused: it is neither reconciled nor deleted`,
          fixes: fixesFor(namespaceOf(object)),
        })),
        looked: `${count(all.length, 'TofuWorkspace or Workspace', 'TofuWorkspaces and Workspaces')}, none paused`,
      };
    }),
};
