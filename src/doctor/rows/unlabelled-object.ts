import type { Input } from '../../api/input.ts';
import { parseApps } from '../../infra/apps.ts';
import { NAMESPACE } from '../commands.ts';
import { count, inCluster, inInfra, type Looked } from '../look.ts';
import { namespaceOf } from '../namespaces.ts';
import type { Fix, Problem, Row, Sources } from '../row.ts';
import {
  findB2Schedules,
  findInternalRoutes,
  isSelected,
  placeApps,
  placeLive,
  type Parsed,
  type Placed,
} from '../schedules.ts';

interface Named {
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
}

function fixesFor({ namespace, resource, name }: Named, labels: readonly string[]): readonly Fix[] {
  return [
    {
      does: 'In git: let the app include the component `infra/k8s/components/workspace/talos`, which labels every Schedule and HTTPRoute of it, or write the label into the manifest.',
    },
    {
      does: 'Now, until Flux has it: label it. The function is called at once.',
      commands: [`kubectl -n ${namespace} label ${resource}/${name} ${labels.join(' ')}`],
    },
  ];
}

const RESOURCES = { Schedule: 'schedules.k8up.io', HTTPRoute: 'httproutes.gateway.networking.k8s.io' } as const;

/** Those that would become something if they were labelled, and what is missing without. */
function findMeant(kind: keyof typeof RESOURCES, objects: readonly Placed[], input: Input): Parsed<Meant> {
  if (kind === 'HTTPRoute') {
    const { found, unseen } = findInternalRoutes(objects, input);
    return {
      found: found.map(route => ({ ...route, lost: `there is no record for ${route.hosts.join(', ')}` })),
      unseen,
    };
  }
  const { found, unseen } = findB2Schedules(objects, input);
  return {
    found: found.map(entry => ({ ...entry, lost: `nobody makes bucket ${entry.backend.bucket}, or its key` })),
    unseen,
  };
}

type Meant = Placed & { readonly lost: string };

function findUnlabelled(kind: keyof typeof RESOURCES, objects: readonly Placed[], input: Input): Looked {
  const labels = Object.entries(input.selector.matchLabels);
  const { found, unseen } = findMeant(kind, objects, input);
  const problems = found
    .filter(placed => !isSelected(placed, input))
    .map((placed): Problem => {
      const { name } = placed.object.metadata;
      const missing = labels.filter(([key, value]) => placed.labels.get(key) !== value);
      return {
        kind: 'broken',
        evidence: placed.evidence,
        found:
          `${kind} ${placed.namespace}/${name} lacks the label ` +
          `${missing.map(([key, value]) => `${key}: "${value}"`).join(', ')}: the Composition ignores it, and ${placed.lost}`,
        fixes: fixesFor(
          { namespace: placed.namespace, resource: RESOURCES[kind], name },
          missing.map(([key, value]) => `${key}=${value}`),
        ),
      };
    });
  return { problems, unseen, looked: `${count(objects.length, kind)} in namespaces with a TofuWorkspace` };
}

function lookInCluster(kind: keyof typeof RESOURCES, sources: Sources): ReturnType<typeof inCluster> {
  return inCluster(sources, ['TofuWorkspace', kind], objects => {
    const owners = new Set(objects.TofuWorkspace.map(namespaceOf));
    const here = objects[kind].filter(object => owners.has(namespaceOf(object))).map(placeLive);
    return findUnlabelled(kind, here, sources.input);
  });
}

export const unlabelledObject: Row = {
  id: 'unlabelled-object',
  symptom: "The Composition ignores an app's Schedule or route",
  seam: 'app ↔ Crossplane',
  happened: 'It lacks the label `crossplane-workspace: "true"` that the Composition selects by',
  lookAt: 'Labels of the Schedule or HTTPRoute; `tofuworkspace explain` says what was made of each',
  fixes: fixesFor({ namespace: NAMESPACE, resource: RESOURCES.Schedule, name: 'NAME' }, ['crossplane-workspace=true']),
  look: sources => [
    ...inInfra(sources, tree => {
      const apps = parseApps(tree.files, tree.path('k8s/apps'));
      const owners = new Set(placeApps(apps, 'TofuWorkspace').map(({ namespace }) => namespace));
      const parts = (['Schedule', 'HTTPRoute'] as const).map(kind =>
        findUnlabelled(
          kind,
          placeApps(apps, kind).filter(({ namespace }) => owners.has(namespace)),
          sources.input,
        ),
      );
      return {
        problems: parts.flatMap(({ problems }) => problems),
        unseen: parts.flatMap(({ unseen = [] }) => unseen),
        looked: parts.map(({ looked }) => looked).join(', '),
      };
    }),
    ...lookInCluster('Schedule', sources),
    // Without dns the function asks for no routes, and Gateway API may be absent.
    ...(sources.input.dns === undefined ? [] : lookInCluster('HTTPRoute', sources)),
  ],
};
