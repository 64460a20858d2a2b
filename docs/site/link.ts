/** Where a link leads, and where the site has it: everything that a page links to is on the site, as a page or as text. */
import { posix } from 'node:path';
import { isDocument } from './repository.ts';

export type Target =
  | { readonly kind: 'web'; readonly href: string }
  /** A path of the repository, a folder with a slash at its end, and the id of a heading, empty where none is named. */
  | { readonly kind: 'here'; readonly path: string; readonly id: string };

/** @returns undefined where nothing of that name is in the repository */
export function resolveLink(from: string, href: string, paths: ReadonlySet<string>): Target | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return { kind: 'web', href };
  const [file = '', id = ''] = decodeURI(href).split('#');
  if (file === '') return { kind: 'here', path: from, id };
  if (file.startsWith('/')) return undefined;
  const joined = posix.normalize(posix.join(posix.dirname(from), file));
  const plain = joined === './' || joined === '.' ? '' : joined.replace(/\/$/, '');
  const path = paths.has(plain) && !file.endsWith('/') ? plain : plain === '' ? '' : `${plain}/`;
  return paths.has(path) ? { kind: 'here', path, id } : undefined;
}

/** Where the site has a path of the repository. A folder's README is its page, as it is on GitHub. */
export function pagePath(path: string): string {
  if (path === '' || path.endsWith('/')) return `${path}index.html`;
  if (posix.basename(path) === 'README.md') return posix.join(posix.dirname(path), 'index.html');
  return isDocument(path) ? path.replace(/\.md$/, '.html') : `${path}.html`;
}

/** The link from one page to another, with no server in between: the site is read from files too. */
export function relativeLink(from: string, to: string, id = ''): string {
  const path = posix.relative(posix.dirname(pagePath(from)), pagePath(to));
  return `${encodeURI(path)}${id === '' ? '' : `#${id}`}`;
}
