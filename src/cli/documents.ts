/**
 * Room cli: own the terminal. Files in, YAML or tables out.
 * In: arguments, files. Out: data on stdout, talk on stderr, exit code 0, 1 or 2.
 * May import: case, page, decide and what it is made of, yaml, node:*.
 * Must never: need Docker, Go or a cluster, or resolve a requirement by other rules than Crossplane's.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseDocuments } from '../case/documents.ts';
import { blameCase, UsageError } from './usage-error.ts';

/**
 * Reads every YAML document of a file, or of a folder's .yaml and .yml files in name order.
 * @throws UsageError where a file can't be read or is no YAML, with file and line
 */
export function readDocuments(path: string): readonly unknown[] {
  if (isDirectory(path))
    return readdirSync(path)
      .filter(name => ['.yaml', '.yml'].includes(extname(name)))
      .sort()
      .flatMap(name => readDocuments(join(path, name)));
  return blameCase(() => parseDocuments(readText(path), path));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
