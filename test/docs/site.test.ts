/** The site as it was built: whatever a page names is there, and nothing is fetched from elsewhere. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documents, ROOT } from './documents.ts';

let output: string;
let pages: ReadonlyMap<string, string>;

beforeAll(() => {
  output = mkdtempSync(join(tmpdir(), 'docs-'));
  const built = spawnSync('npm', ['run', '--silent', 'docs', '--', '--quiet', `--output=${output}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stdout + built.stderr);
  const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.html'));
  pages = new Map(files.map(path => [path, readFileSync(join(output, path), 'utf8')]));
});

afterAll(() => {
  rmSync(output, { recursive: true, force: true });
});

const attributes = (html: string): readonly string[] =>
  [...html.matchAll(/<[a-z][^>]*?\s(?:href|src|srcset|poster|action|data)="([^"]*)"/g)].map(([, value = '']) => value);

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));

/** @returns what is wrong with a link, if anything */
function faultOf(page: string, href: string): string | undefined {
  if (/^(https?|mailto):/.test(href)) return undefined;
  const [path = '', id] = href.split('#');
  const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURI(path)));
  const html = pages.get(target);
  if (html === undefined) return `${page}: ${href} is no page`;
  return id === undefined || idsOf(html).has(decodeURIComponent(id)) ? undefined : `${page}: ${href} is no section`;
}

describe('the site', () => {
  it('has a page for each document', () => {
    expect(pages.size).toBeGreaterThan(documents.length);
    expect(pages.get('docs/xr.html')).toContain('<a href="xr.html" aria-current="page">TofuWorkspace</a>');
  });

  it('has what its pages link to', () => {
    const faults = [...pages].flatMap(([page, html]) => attributes(html).flatMap(href => faultOf(page, href) ?? []));
    expect(faults).toEqual([]);
    expect(faultOf('docs/index.html', 'none.html')).toBe('docs/index.html: none.html is no page');
    expect(faultOf('docs/index.html', 'install.html#none')).toBe('docs/index.html: install.html#none is no section');
  });

  it('fetches nothing from the network', () => {
    const fetching = /<(?:script|link|img|iframe|object|embed|video|audio|source|form)\b|@import|url\(/;
    const frames = [...pages].filter(([, html]) => fetching.test(html.replace(/<pre>[\s\S]*?<\/pre>/g, '')));
    expect(frames.map(([page]) => page)).toEqual([]);
    expect('<link rel="stylesheet">').toMatch(fetching);
  });
});
