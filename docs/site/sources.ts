/** What the documents link to and is no document: files, shown as text, and folders, shown as lists of what they hold. */
import { posix } from 'node:path';
import type { Document } from './document.ts';
import { escapeHtml } from './html.ts';
import { relativeLink, resolveLink } from './link.ts';
import { isDocument } from './repository.ts';

/** With the files of a linked folder, so that a list is no dead end. */
export function findSources(documents: readonly Document[], paths: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path) || isDocument(path) || paths.has(`${path}README.md`)) return;
    found.add(path);
    if (path.endsWith('/')) for (const child of childrenOf(path, paths)) add(child);
  };
  for (const document of documents) {
    for (const { href } of document.links) {
      const target = resolveLink(document.path, href, paths);
      if (target?.kind === 'here') add(target.path);
    }
    for (const { marks } of document.fences) {
      const file = marks.get('file');
      if (file !== undefined) add(file);
    }
  }
  return [...found].sort();
}

export function renderFile(path: string, text: string): string {
  return `<h1>${escapeHtml(path)}</h1>\n<pre><code>${escapeHtml(text)}</code></pre>\n`;
}

export function renderFolder(path: string, paths: ReadonlySet<string>): string {
  const rows = childrenOf(path, paths).map(
    child => `<li><a href="${relativeLink(path, child)}">${escapeHtml(child.slice(path.length))}</a></li>`,
  );
  return `<h1>${escapeHtml(path)}</h1>\n<ul>\n${rows.join('\n')}\n</ul>\n`;
}

function childrenOf(folder: string, paths: ReadonlySet<string>): readonly string[] {
  return [...paths].filter(path => path !== '' && `${posix.dirname(path)}/` === (folder === '' ? './' : folder));
}
