import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '../doctor/row.ts';
import { UsageError } from './usage-error.ts';

/** What the readers of infra/ read; anything else, credentials in .env as well, stays unread. */
const READ = /\.(?:ya?ml|tf)$/;
const PASSED_BY = new Set(['.terraform', '.git', 'node_modules', 'output']);

/**
 * The texts of an infra tree, by their names below `root` as the user named it.
 * @throws UsageError where it is no folder, or a file cannot be read
 */
export function readInfraTree(root: string): Tree {
  const trimmed = root.replace(/\/+$/, '') || '/';
  if (statSync(trimmed, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--infra ${root}: expected a folder`);
  return { root: trimmed, files: walk(trimmed) };
}

function walk(folder: string): Tree['files'] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return PASSED_BY.has(entry.name) ? [] : walk(path);
      return READ.test(entry.name) ? [{ file: path, text: readText(path) }] : [];
    });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
