import { findOwnedBuckets } from '../buckets.ts';
import { parseApps } from '../../infra/apps.ts';
import { BUCKET, NAMESPACE, pauseFirst } from '../commands.ts';
import { count, inCluster, inInfra, type Looked } from '../look.ts';
import { groupBy } from '../namespaces.ts';
import { ofObject, printEvidence, type Evidence, type Fix, type Row } from '../row.ts';
import { findB2Schedules, isSelected, placeApps, placeLive, type PlacedSchedule } from '../schedules.ts';

/** @param owner the namespace whose state has it; undefined where that is not known */
function fixesFor(bucket: string, namespaces: readonly string[], owner: string | undefined): readonly Fix[] {
  const others = namespaces.filter(namespace => namespace !== owner);
  return [
    ...namespaces.map(pauseFirst),
    {
      does:
        owner === undefined
          ? `Decide which namespace keeps ${bucket}; let the Schedules of the others name buckets of their own.`
          : `${owner} has ${bucket} in its state and keeps it. Let the Schedules of ${others.join(', ')} name buckets of their own.`,
    },
    {
      does: `Was it meant to move? Release it in the old namespace, wait for \`Released\`, then adopt it in the new one (docs/runbooks/adopt-bucket.md). Never both at once, and delete nothing meanwhile.`,
    },
  ];
}

interface Claim {
  readonly key: string;
  readonly bucket: string;
  readonly namespace: string;
  readonly evidence: Evidence;
  /** In a state, not only in a manifest. */
  readonly owned: boolean;
}

function claim({ backend: { bucket }, namespace, evidence }: PlacedSchedule): Claim {
  return { key: bucket.toLowerCase(), bucket, namespace, evidence, owned: false };
}

function findShared(claims: readonly Claim[], unseen: readonly string[]): Looked {
  const groups = [...groupBy(claims, ({ key }) => key).values()];
  const problems = groups.flatMap(group => {
    const namespaces = [...new Set(group.map(({ namespace }) => namespace))];
    const second = group.find(({ namespace }) => namespace !== namespaces[0]);
    if (second === undefined) return [];
    const owners = [...new Set(group.filter(({ owned }) => owned).map(({ namespace }) => namespace))];
    const states = owners.length > 1 ? `; two states have it: ${owners.join(', ')}` : '';
    return [
      {
        kind: 'broken' as const,
        evidence: second.evidence,
        found: `bucket ${second.bucket} is wanted by ${namespaces.join(' and ')} (${group.map(({ evidence }) => printEvidence(evidence)).join(', ')})${states}`,
        fixes: fixesFor(second.bucket, namespaces, owners.length === 1 ? owners[0] : undefined),
      },
    ];
  });
  return { problems, unseen, looked: `${count(groups.length, 'bucket')}, each of one namespace` };
}

export const bucketInTwoNamespaces: Row = {
  id: 'bucket-in-two-namespaces',
  symptom: 'Backups of two apps lie in one bucket, or one of them cannot make it',
  seam: 'app ↔ Crossplane',
  happened:
    'Schedules of two namespaces name one bucket: the second state cannot make it, or both believe that they own it',
  lookAt:
    'Schedules that name the bucket; `status.atProvider.outputs.buckets` of the Workspaces. Names are compared without case',
  fixes: fixesFor(BUCKET, [NAMESPACE], undefined),
  look: sources => [
    ...inInfra(sources, tree => {
      const apps = parseApps(tree.files, tree.path('k8s/apps'));
      const placed = placeApps(apps, 'Schedule').filter(entry => isSelected(entry, sources.input));
      const { found, unseen } = findB2Schedules(placed, sources.input);
      return findShared(found.map(claim), unseen);
    }),
    ...inCluster(sources, ['Schedule', 'Workspace'], objects => {
      const placed = objects.Schedule.map(placeLive).filter(entry => isSelected(entry, sources.input));
      const { found, unseen } = findB2Schedules(placed, sources.input);
      const owned = findOwnedBuckets(objects.Workspace).map(({ key, bucket, namespace, workspace }) => ({
        ...{ key, bucket, namespace, evidence: ofObject(workspace), owned: true },
      }));
      return findShared([...owned, ...found.map(claim)], unseen);
    }),
  ],
};
