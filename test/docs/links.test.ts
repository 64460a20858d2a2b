/** Every link of every document, sections included, and the index that leads to all of them. */
import { describe, expect, it } from 'vitest';
import { anchors } from '../../docs/site/anchor.ts';
import { findDeadLinks } from '../../docs/site/dead-links.ts';
import { readDocument } from '../../docs/site/document.ts';
import { resolveLink } from '../../docs/site/link.ts';
import { INDEX } from '../../docs/site/navigation.ts';
import { documents, paths } from './documents.ts';

describe('links', () => {
  it('of all documents lead somewhere', () => {
    expect(documents.length).toBeGreaterThan(50);
    expect(findDeadLinks(documents, paths)).toEqual([]);
  });

  it.each([
    ['a file that is not there', '[x](no-such-page.md)', /docs\/planted\.md:3: no-such-page\.md leads to nothing/],
    ['a folder that is not there', '[x](../no-such-folder/)', /leads to nothing/],
    ['a way out of the repository', '[x](../../README.md)', /leads to nothing/],
    ['a section that is not there', '[x](install.md#no-such-section)', /names no heading of docs\/install\.md/],
    ['a section of its own that is not there', '[x](#no-such-section)', /names no heading of docs\/planted\.md/],
    ['a section of a folder’s README', '[x](../infra/#no-such-section)', /names no heading of infra\/README\.md/],
    ['a link in a table', '| a |\n| --- |\n| [x](no-such-page.md) |', /docs\/planted\.md:5: no-such-page\.md/],
    ['an excerpt of a file that is not there', '```yaml file=install/none.yaml\n```', /file=install\/none\.yaml/],
  ])('%s is found', (_, text, fault) => {
    const planted = readDocument('docs/planted.md', `# Planted\n\n${text}\n`);
    const found = findDeadLinks([...documents, planted], paths);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(fault);
  });
});

describe('ids of headings', () => {
  it.each([
    ['What `make docs` does', 'what-make-docs-does'],
    ['Layer 2 — Ansible: the hosts', 'layer-2--ansible-the-hosts'],
    ['`spec.releaseBuckets[]` & more', 'specreleasebuckets--more'],
    ['Für Äpfel', 'für-äpfel'],
    ['snake_case', 'snake_case'],
  ])('of %j is GitHub’s', (heading, id) => {
    expect(readDocument('a.md', `# ${heading}\n`).headings[0]?.id).toBe(id);
  });

  it('that are the same are numbered', () => {
    const toId = anchors();
    expect(['Check', 'Check', 'Check'].map(toId)).toEqual(['check', 'check-1', 'check-2']);
  });
});

describe('the index', () => {
  it('leads to every page of docs/', () => {
    const index = documents.find(({ path }) => path === INDEX);
    const linked = (index?.links ?? []).map(({ href }) => resolveLink(INDEX, href, paths));
    const reached = new Set(linked.flatMap(target => (target?.kind === 'here' ? [target.path] : [])));
    const pages = documents.map(({ path }) => path).filter(path => path.startsWith('docs/') && path !== INDEX);
    // Decisions are reached through their folder.
    expect(reached).toContain('docs/adr/');
    expect(pages.filter(path => !reached.has(path) && !path.startsWith('docs/adr/'))).toEqual([]);
  });
});
