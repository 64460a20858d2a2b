import { readPath } from '../../kube.ts';
import { NAMESPACE } from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { isBeingDeleted, namespaceOf } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';

function fixesFor(namespace: string): readonly Fix[] {
  return [
    {
      does: `Not tearing ${namespace} down right now? Set \`retainBuckets: true\` again, in git, and let it be applied.`,
    },
    {
      does: 'Tearing it down? `tofuworkspace teardown` checks what must be true before the second commit (docs/runbooks/teardown.md).',
      commands: [`tofuworkspace teardown ${namespace}`],
    },
  ];
}

export const bucketsUnprotected: Row = {
  id: 'buckets-unprotected',
  symptom: 'The deletion of a TofuWorkspace would take its buckets along',
  seam: 'app ↔ Crossplane',
  happened: '`retainBuckets: false` is set; it is meant for the time of a teardown only',
  lookAt: '`spec.retainBuckets` of the TofuWorkspaces',
  fixes: fixesFor(NAMESPACE),
  look: sources =>
    inCluster(sources, ['TofuWorkspace'], objects => ({
      problems: objects.TofuWorkspace.filter(
        object => readPath(object, 'spec', 'retainBuckets') === false && !isBeingDeleted(object),
      ).map(object => ({
        kind: 'warning',
        evidence: ofObject(object),
        found:
          'retainBuckets is false: whoever deletes this TofuWorkspace, a Flux prune as well, destroys its empty buckets',
        fixes: fixesFor(namespaceOf(object)),
      })),
      looked: `${count(objects.TofuWorkspace.length, 'TofuWorkspace')}, all retain their buckets`,
    })),
};
