/** A document as HTML: headings get GitHub's ids, links lead to pages of the site, excerpts name their file. */
import markdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { anchors } from './anchor.ts';
import { MARKDOWN_OPTIONS, parseInfo, plainText } from './document.ts';
import { escapeHtml } from './html.ts';
import { relativeLink, resolveLink } from './link.ts';

interface Environment {
  readonly path: string;
}

const renderer = markdownIt(MARKDOWN_OPTIONS);

renderer.renderer.rules.fence = (tokens, index, _options, environment: Environment) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const { language, marks } = parseInfo(info);
  const file = marks.get('file');
  const needs = marks.get('needs');
  const captions = [
    ...(file === undefined ? [] : [`<a href="${relativeLink(environment.path, file)}">${escapeHtml(file)}</a>`]),
    ...(needs === undefined ? [] : [`needs: ${escapeHtml(needs.replaceAll(',', ', '))}`]),
  ];
  const caption = captions.length === 0 ? '' : `<figcaption>${captions.join(' · ')}</figcaption>`;
  const code = `<pre><code class="language-${escapeHtml(language)}">${escapeHtml(content)}</code></pre>`;
  return `<figure>${caption}${code}</figure>\n`;
};

export function renderDocument(path: string, text: string, paths: ReadonlySet<string>): string {
  const environment: Environment = { path };
  const tokens = renderer.parse(text, environment);
  const toId = anchors();
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.type === 'heading_open' && next !== undefined) token.attrSet('id', toId(plainText(next.children)));
    for (const child of token.children ?? []) leadToPage(child, path, paths);
  }
  return renderer.renderer.render(tokens, renderer.options, environment);
}

function leadToPage(token: Token, path: string, paths: ReadonlySet<string>): void {
  const attribute = token.type === 'image' ? 'src' : 'href';
  const href = token.attrGet(attribute);
  const target = href === null ? undefined : resolveLink(path, href, paths);
  if (target?.kind === 'here') token.attrSet(attribute, relativeLink(path, target.path, target.id));
}
