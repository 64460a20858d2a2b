/** Links that lead nowhere, in all documents at once: the site is not built with one. */
import type { Document } from './document.ts';
import { resolveLink } from './link.ts';
import { isDocument } from './repository.ts';

/** @returns one line for each: `file:line: what is wrong` */
export function findDeadLinks(documents: readonly Document[], paths: ReadonlySet<string>): readonly string[] {
  const ids = new Map(documents.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]));
  return documents.flatMap(({ path, links, fences }) => [
    ...links.flatMap(({ href, line }) => {
      const fault = faultOf(path, href);
      return fault === undefined ? [] : [`${path}:${line}: ${href} ${fault}`];
    }),
    ...fences.flatMap(({ marks, line }) => {
      const file = marks.get('file');
      return file === undefined || paths.has(file) ? [] : [`${path}:${line}: file=${file} is not in the repository`];
    }),
  ]);

  function faultOf(from: string, href: string): string | undefined {
    const target = resolveLink(from, href, paths);
    if (target === undefined) return 'leads to nothing in the repository';
    if (target.kind === 'web' || target.id === '') return undefined;
    const page = isDocument(target.path) ? target.path : `${target.path}README.md`;
    return ids.get(page)?.has(target.id) === true ? undefined : `names no heading of ${page}`;
  }
}
