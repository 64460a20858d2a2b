/** What every row needs: to look at what is there, and to say so where it is not. */
import { isDocumentError } from '../errors.ts';
import type { SourceFile } from '../infra/finding.ts';
import type { KubeObject } from '../kube.ts';
import type { LiveKind } from '../live/snapshot.ts';
import type { Problem, Side, Sources, Verdict } from './row.ts';

/** What was found, and in words what was looked at: it is said where nothing was found. */
export interface Looked {
  readonly problems: readonly Problem[];
  readonly looked: string;
  /** What of it could not be read, and why. */
  readonly unseen?: readonly string[];
}

/** The infra tree as rows read it. */
export class TreeReader {
  readonly root: string;
  readonly files: readonly SourceFile[];

  constructor({ root, files }: NonNullable<Sources['tree']>) {
    this.root = root;
    this.files = files;
  }

  /** @throws Error where there is no such file */
  file(path: string): SourceFile {
    const name = this.path(path);
    const found = this.files.find(({ file }) => file === name);
    if (found === undefined) throw new Error(`${name} is not there`);
    return found;
  }

  path(path: string): string {
    return `${this.root}/${path}`;
  }

  /** Those below a folder of the tree whose names end so; none where there is no such folder. */
  below(folder: string, ending: string): readonly SourceFile[] {
    return this.files.filter(({ file }) => file.startsWith(`${this.path(folder)}/`) && file.endsWith(ending));
  }
}

/** A file that is missing, or that a reader does not understand, was not looked at. */
export function inInfra({ tree }: Sources, look: (tree: TreeReader) => Looked): readonly Verdict[] {
  if (tree === undefined) return [{ kind: 'not looked at', side: 'infra', why: 'no infra tree was named (--infra)' }];
  try {
    return conclude('infra', look(new TreeReader(tree)));
  } catch (error) {
    if (!isReadersError(error)) throw error;
    return [{ kind: 'not looked at', side: 'infra', why: error.message }];
  }
}

type Objects<K extends LiveKind> = Readonly<Record<K, readonly KubeObject[]>>;

/** Only where every one of the kinds could be read. */
export function inCluster<K extends LiveKind>(
  { snapshot }: Sources,
  kinds: readonly K[],
  look: (objects: Objects<K>) => Looked,
): readonly Verdict[] {
  if (snapshot === undefined)
    return [{ kind: 'not looked at', side: 'cluster', why: 'no cluster was named (--kubeconfig or --objects)' }];
  const objects: Partial<Record<K, readonly KubeObject[]>> = {};
  const unreadable: Verdict[] = [];
  for (const kind of kinds) {
    const reading = snapshot[kind];
    if (reading.kind === 'objects') objects[kind] = reading.objects;
    else unreadable.push({ kind: 'not looked at', side: 'cluster', why: `${kind}: ${reading.reason}` });
  }
  return unreadable.length > 0 ? unreadable : conclude('cluster', look(objects as Objects<K>));
}

function conclude(side: Side, { problems, looked, unseen = [] }: Looked): readonly Verdict[] {
  const found: readonly Verdict[] = [
    ...problems,
    ...[...new Set(unseen)].map(why => ({ kind: 'not looked at' as const, side, why })),
  ];
  return found.length > 0 ? found : [{ kind: 'fine', side, looked }];
}

/** The readers of infra/ throw plain Errors that name file and line; anything else is a fault of ours. */
function isReadersError(error: unknown): error is Error {
  return isDocumentError(error) || (error instanceof Error && error.name === 'Error');
}

/** `1 Schedule`, `2 Schedules`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
