/** The apps of infra/k8s/apps: what each one's kustomization brings into its namespace, components included. */
import { parseAllDocuments } from 'yaml';
import { isRecord, readPath, readStrings } from '../kube.ts';
import type { Place, SourceFile } from './finding.ts';
import { parseWorkspaceComponent, type LabelPatch } from './workspace-component.ts';
import { parseYamlDocuments, parseYamlFile } from './yaml-file.ts';

/** An object of an app as a cluster gets it: in the app's namespace, with the labels that kustomize puts on it. */
export interface AppObject extends Place {
  readonly kind: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** With the namespace; labels of patches are in `labels` only. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface App extends Place {
  readonly namespace: string;
  readonly objects: readonly AppObject[];
}

const KUSTOMIZATION = /(?:^|\/)kustomization\.ya?ml$/;

/**
 * Every kustomization with a namespace below a folder.
 * @param files all files that kustomizations may name
 * @throws Error with file and line where one is not YAML, or names a file that is not there
 */
export function parseApps(files: readonly SourceFile[], folder: string): readonly App[] {
  const byName = new Map(files.map(source => [source.file, source]));
  return files
    .filter(({ file }) => file.startsWith(`${folder}/`) && KUSTOMIZATION.test(file))
    .flatMap(source => {
      const namespace = parseYamlFile(source).get('namespace');
      if (typeof namespace?.value !== 'string') return [];
      const built = build(source, byName, new Set());
      return [
        {
          file: source.file,
          line: namespace.line,
          namespace: namespace.value,
          objects: built.objects.map(object => finish(object, namespace.value as string, built.patches)),
        },
      ];
    });
}

interface Built {
  readonly objects: readonly AppObject[];
  readonly patches: readonly LabelPatch[];
}

/** @param seen kustomizations on the way here: a cycle ends instead of running for ever */
function build(source: SourceFile, files: ReadonlyMap<string, SourceFile>, seen: ReadonlySet<string>): Built {
  if (seen.has(source.file)) return { objects: [], patches: [] };
  const root = parseYamlFile(source);
  const way = new Set([...seen, source.file]);
  const parts = ['resources', 'components'].flatMap(list =>
    (root.get(list)?.items() ?? []).map(({ value, line }) => {
      const path = resolve(source.file, String(value));
      const nested = findKustomization(path, files);
      if (nested !== undefined) return build(nested, files, way);
      const file = files.get(path);
      if (file === undefined) throw new Error(`${source.file}:${line}: expected ${path} to be there`);
      return { objects: parseObjects(file), patches: [] };
    }),
  );
  return {
    objects: parts.flatMap(({ objects }) => objects),
    patches: [...parts.flatMap(({ patches }) => patches), ...parseWorkspaceComponent(source).labels],
  };
}

function findKustomization(folder: string, files: ReadonlyMap<string, SourceFile>): SourceFile | undefined {
  return files.get(`${folder}/kustomization.yaml`) ?? files.get(`${folder}/kustomization.yml`);
}

function parseObjects(source: SourceFile): readonly AppObject[] {
  const places = parseYamlDocuments(source);
  return [...parseAllDocuments(source.text)].flatMap((parsed, index) => {
    const document: unknown = parsed.toJS();
    const kind = readPath(document, 'kind');
    const name = readPath(document, 'metadata', 'name');
    if (!isRecord(document) || typeof kind !== 'string' || typeof name !== 'string') return [];
    const line = places[index]?.get('metadata')?.get('name')?.line ?? 1;
    return [{ file: source.file, line, kind, name, labels: readStrings(document, 'metadata', 'labels'), document }];
  });
}

function finish(object: AppObject, namespace: string, patches: readonly LabelPatch[]): AppObject {
  const patched = patches.filter(({ kind }) => kind === object.kind).flatMap(({ labels }) => Object.entries(labels));
  const metadata = readPath(object.document, 'metadata');
  const place = object.kind === 'Namespace' ? {} : { namespace };
  return {
    ...object,
    labels: new Map([...object.labels, ...patched]),
    document: { ...object.document, metadata: { ...(isRecord(metadata) ? metadata : {}), ...place } },
  };
}

/** A path beside the file that names it. */
function resolve(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
