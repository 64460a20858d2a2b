import { readPath } from '../../kube.ts';
import { BUCKET, NAMESPACE, WORKSPACES } from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { namespaceOf } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';

function fixesFor(namespace: string, bucket: string): readonly Fix[] {
  return [
    {
      does: `Delete nothing in ${namespace} until ${bucket} is \`Released\`: it has left the block that protects it, and \`tofu destroy\` ignores \`removed\`.`,
    },
    {
      does: 'Does it stay? The module that forgets it was not applied: look at the Workspace.',
      commands: [`kubectl -n ${namespace} get ${WORKSPACES} workspace -o jsonpath='{.status.conditions}'`],
    },
  ];
}

export const bucketReleasing: Row = {
  id: 'bucket-releasing',
  symptom: 'A bucket is `Releasing`, and stays so',
  seam: 'Crossplane ↔ provider',
  happened:
    'It is given up, and OpenTofu has not forgotten it yet; only the guard resource refuses its destroy meanwhile',
  lookAt: '`status.buckets` of the TofuWorkspace, `WorkspaceApplied`',
  fixes: fixesFor(NAMESPACE, BUCKET),
  look: sources =>
    inCluster(sources, ['TofuWorkspace'], objects => ({
      problems: objects.TofuWorkspace.flatMap(object => {
        const buckets = readPath(object, 'status', 'buckets');
        const names = (Array.isArray(buckets) ? (buckets as readonly unknown[]) : [])
          .filter(bucket => readPath(bucket, 'state') === 'Releasing')
          .map(bucket => String(readPath(bucket, 'name')));
        if (names.length === 0) return [];
        return [
          {
            kind: 'warning' as const,
            evidence: ofObject(object),
            found: `bucket ${names.join(', ')} is Releasing`,
            fixes: fixesFor(namespaceOf(object), names.join(', ')),
          },
        ];
      }),
      looked: `${count(objects.TofuWorkspace.length, 'TofuWorkspace')}, none releases a bucket`,
    })),
};
