/** The site's menu is the index of the documentation, docs/README.md: its sections and what each links to. */
import type { Document } from './document.ts';
import { resolveLink } from './link.ts';

export const INDEX = 'docs/README.md';

export interface Section {
  readonly title: string;
  readonly entries: readonly { readonly title: string; readonly path: string }[];
}

export function readNavigation(index: Document, paths: ReadonlySet<string>): readonly Section[] {
  const sections = index.headings.filter(({ level }) => level === 2);
  return sections.map(({ text, line }, at) => {
    const end = sections[at + 1]?.line ?? Infinity;
    const entries = new Map<string, string>();
    for (const link of index.links) {
      if (link.line < line || link.line >= end) continue;
      const target = resolveLink(index.path, link.href, paths);
      if (target?.kind === 'here' && target.id === '' && !entries.has(target.path)) entries.set(target.path, link.text);
    }
    return { title: text, entries: [...entries].map(([path, title]) => ({ title, path })) };
  });
}
