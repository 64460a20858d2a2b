/**
 * The documentation as a static site: every Markdown file of the repository under its own path, and what they link to.
 *   make docs                   into build/docs
 *   npm run docs -- --serve     and again after each change, at http://localhost:8080
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findDeadLinks } from './dead-links.ts';
import { readDocument } from './document.ts';
import type { EleventyConfig, EleventyData } from './eleventy.d.ts';
import { framePage, type Page } from './frame.ts';
import { pagePath } from './link.ts';
import { INDEX, readNavigation } from './navigation.ts';
import { renderDocument } from './render.ts';
import { isDocument, listRepository } from './repository.ts';
import { findSources, renderFile, renderFolder } from './sources.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The repository as it is when a build begins. */
function readSite() {
  const list = listRepository(ROOT);
  const paths = new Set(list);
  const documents = new Map(list.filter(isDocument).map(path => [path, readDocument(path, read(path))]));
  const dead = findDeadLinks([...documents.values()], paths);
  if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`);
  const index = documents.get(INDEX);
  if (index === undefined) throw new Error(`there is no ${INDEX}`);
  const navigation = readNavigation(index, paths);
  const style = read('docs/site/site.css');
  const frame = (page: Page): string => framePage(page, navigation, style);
  return { paths, documents, frame };
}

export default function configure(eleventy: EleventyConfig): object {
  let site = readSite();
  eleventy.on('eleventy.before', () => {
    site = readSite();
  });
  eleventy.setLibrary('md', { render: (text, data) => renderDocument(pathOf(data), text, site.paths) });
  eleventy.addTransform('frame', function (content) {
    const path = pathOf(this);
    return site.frame({ path, title: site.documents.get(path)?.headings[0]?.text ?? path, content });
  });
  eleventy.on('eleventy.after', ({ directories }) => {
    const { paths, frame } = site;
    for (const path of findSources([...site.documents.values()], paths)) {
      const content = path === '' || path.endsWith('/') ? renderFolder(path, paths) : renderFile(path, read(path));
      const file = join(directories.output, pagePath(path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, frame({ path, title: path, content }));
    }
  });
  eleventy.addGlobalData('permalink', () => (data: EleventyData) => pagePath(pathOf(data)));
  eleventy.addWatchTarget('./docs/site/');
  return {
    dir: { input: '.', output: 'build/docs' },
    templateFormats: ['md'],
    // Braces in our pages are Handlebars' and Go's, to be shown and not to be filled in.
    markdownTemplateEngine: false,
  };
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function pathOf({ page }: EleventyData): string {
  return page.inputPath.replace(/^\.\//, '');
}
