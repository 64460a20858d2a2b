/** What a component of infra/k8s/components/workspace patches into an app: labels, and the state bucket. */
import type { Place, SourceFile } from './finding.ts';
import { readStrings } from './read-strings.ts';
import { parseYamlFile, type YamlNode } from './yaml-file.ts';

export interface LabelPatch extends Place {
  /** Kind of the objects that are labelled. */
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface WorkspaceComponent {
  readonly labels: readonly LabelPatch[];
  /** spec.stateBucket of the TofuWorkspace, where the component sets it. */
  readonly stateBucket: (Place & { readonly name: string }) | undefined;
}

/** @throws Error with file and line where the kustomization or a patch in it is not YAML */
export function parseWorkspaceComponent(source: SourceFile): WorkspaceComponent {
  const { file } = source;
  const patches = (parseYamlFile(source).get('patches')?.items() ?? []).flatMap(item => {
    const patch = item.get('patch');
    if (typeof patch?.value !== 'string') return [];
    // A block scalar begins on the line after its key.
    const line = (node: YamlNode | undefined): number => patch.line + (node?.line ?? 0);
    return [{ body: parseYamlFile({ file: `${file}:${patch.line}`, text: patch.value }), line }];
  });
  const buckets = patches.flatMap(({ body, line }) => {
    const bucket = body.get('spec')?.get('stateBucket');
    return typeof bucket?.value === 'string' ? [{ file, line: line(bucket), name: bucket.value }] : [];
  });
  return {
    labels: patches.flatMap(({ body, line }) => {
      const labels = body.get('metadata')?.get('labels');
      const kind = body.get('kind')?.value;
      return labels === undefined || typeof kind !== 'string'
        ? []
        : [{ file, line: line(labels), kind, labels: readStrings(labels) }];
    }),
    stateBucket: buckets[0],
  };
}
