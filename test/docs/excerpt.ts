/**
 * Excerpts: a fenced block with the mark `file=PATH` quotes that file, and must say what it says. Lines of the block stand
 * in the file in one piece, under any indentation that all of them share; a line of `…` alone, in a comment or not, stands
 * for lines that are left out.
 */
import type { Document, Fence } from '../../docs/site/document.ts';

const LEFT_OUT = /^\s*(?:#|\/\/)?\s*…$/;

/** @returns one line for each fault: `document:line: what is wrong` */
export function findStaleExcerpts(document: Document, read: (path: string) => string): readonly string[] {
  return document.fences.flatMap(fence => {
    const path = fence.marks.get('file');
    if (path === undefined) return [];
    const lost = findLostPart(fence, read(path).split('\n'));
    return lost === undefined ? [] : [`${document.path}:${fence.line}: ${path} does not say, in this order: ${lost}`];
  });
}

function findLostPart({ content }: Fence, lines: readonly string[]): string | undefined {
  let from = 0;
  for (const part of splitParts(content)) {
    const at = findPart(part, lines, from);
    if (at === undefined) return part.join('\n');
    from = at + part.length;
  }
  return undefined;
}

function splitParts(content: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const line of content.replace(/\n$/, '').split('\n'))
    if (LEFT_OUT.test(line)) parts.push([]);
    else parts.at(-1)?.push(line);
  const said = parts.filter(part => part.some(line => line.trim() !== ''));
  if (said.length === 0) throw new Error('an excerpt that quotes nothing');
  return said;
}

function findPart(part: readonly string[], lines: readonly string[], from: number): number | undefined {
  const wanted = outdent(part);
  for (let at = from; at + part.length <= lines.length; at++)
    if (outdent(lines.slice(at, at + part.length)) === wanted) return at;
  return undefined;
}

function outdent(lines: readonly string[]): string {
  const indents = lines.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return lines.map(line => line.slice(shared).trimEnd()).join('\n');
}
