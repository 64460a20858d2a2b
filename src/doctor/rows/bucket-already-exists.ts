import { BUCKET, NAMESPACE, pauseFirst, unpauseTofuWorkspace, unpauseWorkspace } from '../commands.ts';
import { findOwnedBuckets } from '../buckets.ts';
import { findB2Schedules, placeLive } from '../schedules.ts';
import { count, inCluster } from '../look.ts';
import { inNamespace } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';
import { findFailures } from '../workspace-failure.ts';

const REASON = 'BucketExists';

function fixesFor(namespace: string, bucket: string): readonly Fix[] {
  return [
    pauseFirst(namespace),
    {
      does: `Make sure that no other Workspace lists ${bucket} in its outputs. Where one does, release it there first, and wait for \`Released\` (docs/runbooks/release-bucket.md).`,
      commands: [
        'kubectl get workspaces.opentofu.m.upbound.io -A -o jsonpath=\'{range .items[*]}{.metadata.namespace}{" "}{.status.atProvider.outputs.buckets}{"\\n"}{end}\'',
      ],
    },
    {
      does:
        `Adopt it: \`spec.adoptBuckets: [{bucket: ${bucket}, bucketId: …}]\`, with spelling and id (24 hexadecimal digits) as Backblaze ` +
        'shows them, while `retainBuckets` is true; the module carries a commented import block for each bucket. Read the module, then unpause (docs/runbooks/adopt-bucket.md).',
      commands: [unpauseTofuWorkspace(namespace), unpauseWorkspace(namespace)],
    },
    {
      does: 'Not yours? Bucket names are unique over all accounts: let the Schedule name another one, then release this name.',
    },
  ];
}

export const bucketAlreadyExists: Row = {
  id: 'bucket-already-exists',
  symptom: 'A renamed, or new, backup bucket "already exists"',
  seam: 'Crossplane ↔ provider',
  happened:
    "The bucket exists at Backblaze and is not in this state: `prevent_destroy` kept it through a rename, it was released or made by hand, or it is another account's",
  lookAt: '`WorkspaceApplied` of the TofuWorkspace; the commented import blocks of its module',
  fixes: fixesFor(NAMESPACE, BUCKET),
  look: sources =>
    inCluster(sources, ['Workspace', 'Schedule'], objects => {
      const failures = findFailures(objects.Workspace, sources.input).filter(({ reason }) => reason === REASON);
      const owned = findOwnedBuckets(objects.Workspace);
      return {
        problems: failures.map(({ workspace, namespace, message }) => {
          const wanted = findB2Schedules(inNamespace(objects.Schedule, namespace).map(placeLive), sources.input);
          const inState = new Set(owned.filter(entry => entry.namespace === namespace).map(({ key }) => key));
          const missing = [...new Set(wanted.found.map(({ backend }) => backend.bucket))].filter(
            bucket => !inState.has(bucket.toLowerCase()),
          );
          const elsewhere = owned.filter(({ key }) => missing.some(bucket => bucket.toLowerCase() === key));
          const names = missing.length === 0 ? BUCKET : missing.join(', ');
          const holders = elsewhere.map(entry => `${entry.bucket} is listed by Workspace ${entry.namespace}`);
          return {
            kind: 'broken',
            evidence: ofObject(workspace),
            found: [`not in this state: ${names}`, ...holders, message].join('. '),
            fixes: fixesFor(namespace, names),
          };
        }),
        looked: `${count(objects.Workspace.length, 'Workspace')}, none meets a bucket that exists already`,
      };
    }),
};
