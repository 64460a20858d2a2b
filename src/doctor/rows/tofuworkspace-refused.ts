import { readCondition } from '../../kube.ts';
import { NAMESPACE } from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { isBeingDeleted, isPaused, namespaceOf } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';

function fixesFor(namespace: string, reason: string): readonly Fix[] {
  return [
    {
      does: `Do what docs/failure-modes.md says at ${reason}, under "The function refuses". What was applied last stays meanwhile.`,
      commands: [`kubectl -n ${namespace} describe tofuworkspaces.platform.kueber.eu workspace`],
    },
  ];
}

export const tofuWorkspaceRefused: Row = {
  id: 'tofuworkspace-refused',
  symptom: 'A change of an app has no effect',
  seam: 'app ↔ Crossplane',
  happened:
    'The function refuses, or waits for an answer of Crossplane: `IntentSettled` is not True, and its reason says why',
  lookAt: '`IntentSettled` and `Synced` of the TofuWorkspace',
  fixes: fixesFor(NAMESPACE, 'this reason'),
  look: sources =>
    inCluster(sources, ['TofuWorkspace'], objects => ({
      problems: objects.TofuWorkspace.filter(object => !isPaused(object) && !isBeingDeleted(object)).flatMap(object => {
        const settled = readCondition(object, 'IntentSettled');
        const synced = readCondition(object, 'Synced');
        // Crossplane itself could not go on: then the function's own condition is missing, or Unknown.
        const failed = settled?.status === 'False' ? settled : synced?.status === 'False' ? synced : undefined;
        if (failed === undefined) return [];
        return [
          {
            kind: 'broken' as const,
            evidence: ofObject(object),
            found: `${failed.reason}: ${failed.message}`,
            fixes: fixesFor(namespaceOf(object), failed.reason),
          },
        ];
      }),
      looked: `${count(objects.TofuWorkspace.length, 'TofuWorkspace')}, none is refused`,
    })),
};
