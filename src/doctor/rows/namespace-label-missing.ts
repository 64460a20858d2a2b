import { readStrings } from '../../kube.ts';
import type { Input } from '../../api/input.ts';
import { parseApps } from '../../infra/apps.ts';
import { NAMESPACE } from '../commands.ts';
import { count, inCluster, inInfra, type Looked } from '../look.ts';
import { isBeingDeleted, namespaceOf } from '../namespaces.ts';
import { ofObject, type Evidence, type Fix, type Row } from '../row.ts';
import { placeApps } from '../schedules.ts';

function fixesFor(namespace: string, labels: readonly string[]): readonly Fix[] {
  return [
    {
      does: 'In git: let the app include the component `infra/k8s/components/workspace/talos`, which labels its Namespace, or write the label into its `namespace.yaml`.',
    },
    {
      does: 'Now, until Flux has it: label the Namespace. The Secrets come within minutes, and the Workspace goes on by itself.',
      commands: labels.map(label => `kubectl label namespace ${namespace} ${label}`),
    },
  ];
}

interface Found {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly evidence: Evidence;
}

function compare(namespaces: readonly Found[], { namespaceLabels }: Input): Looked {
  const problems = namespaces.flatMap(({ namespace, labels, evidence }) => {
    const missing = Object.entries(namespaceLabels).filter(([key, value]) => labels.get(key) !== value);
    if (missing.length === 0) return [];
    const written = missing.map(([key, value]) => `${key}: "${value}"`).join(', ');
    return [
      {
        kind: 'broken' as const,
        evidence,
        found: `Namespace ${namespace} has a TofuWorkspace and lacks the label ${written}: External Secrets delivers nothing to it`,
        fixes: fixesFor(
          namespace,
          missing.map(([key, value]) => `${key}=${value}`),
        ),
      },
    ];
  });
  return { problems, looked: `${count(namespaces.length, 'namespace')} with a TofuWorkspace, all labelled` };
}

export const namespaceLabelMissing: Row = {
  id: 'namespace-label-missing',
  symptom: 'Workspace stuck, a Secret of its environment is missing',
  seam: 'Flux ↔ Crossplane',
  happened:
    'The namespace lacks the label `secrets.tofu-workspace: "true"`, so External Secrets never delivered what the Workspace reads',
  lookAt: 'Labels of the Namespace; `NamespaceLabelled` of the TofuWorkspace',
  fixes: fixesFor(NAMESPACE, ['secrets.tofu-workspace=true']),
  look: sources => [
    ...inInfra(sources, tree => {
      const apps = parseApps(tree.files, tree.path('k8s/apps'));
      const workspaces = placeApps(apps, 'TofuWorkspace');
      const namespaces = placeApps(apps, 'Namespace');
      const found = workspaces.flatMap(({ namespace, evidence }) => {
        const object = namespaces.find(candidate => candidate.object.metadata.name === namespace);
        // Made elsewhere: then its labels are not in these files.
        return object === undefined
          ? [{ namespace, labels: new Map<string, string>(), evidence }]
          : [{ namespace, labels: object.labels, evidence: object.evidence }];
      });
      return compare(found, sources.input);
    }),
    ...inCluster(sources, ['TofuWorkspace', 'Namespace'], objects => {
      const owners = new Set(objects.TofuWorkspace.map(namespaceOf));
      const found = objects.Namespace.filter(object => owners.has(object.metadata.name) && !isBeingDeleted(object)).map(
        object => ({
          namespace: object.metadata.name,
          labels: readStrings(object, 'metadata', 'labels'),
          evidence: ofObject(object),
        }),
      );
      return compare(found, sources.input);
    }),
  ],
};
