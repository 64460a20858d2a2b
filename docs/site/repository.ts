/** Which files the repository has, without git, so that the site is built from an archive as well. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Made by a build or an installation, or by the tools that the layers of infra/ run. */
const MADE = new Set(['node_modules', 'dist', 'build', 'coverage']);
/** Folders with a dot that are ours. */
const OURS = new Set(['.ci']);

/** Every file and, with a slash at its end, every folder, from the root, sorted. The root itself is the empty text. */
export function listRepository(root: string): readonly string[] {
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
      const path = `${folder}${entry.name}`;
      if (!entry.isDirectory()) return [path];
      if (MADE.has(entry.name) || (entry.name.startsWith('.') && !OURS.has(entry.name))) return [];
      return [`${path}/`, ...walk(`${path}/`)];
    });
  return ['', ...walk('')].sort();
}

export function isDocument(path: string): boolean {
  return path.endsWith('.md');
}
