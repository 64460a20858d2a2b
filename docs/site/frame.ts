/** What stands around every page: menu, style, name of its file. Nothing in it is fetched from elsewhere. */
import { escapeHtml } from './html.ts';
import { relativeLink } from './link.ts';
import { INDEX, type Section } from './navigation.ts';

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly content: string;
}

export function framePage({ path, title, content }: Page, navigation: readonly Section[], style: string): string {
  const menu = navigation.map(section => {
    const entries = section.entries.map(entry => {
      const here = entry.path === path ? ' aria-current="page"' : '';
      return `<li><a href="${relativeLink(path, entry.path)}"${here}>${escapeHtml(entry.title)}</a></li>`;
    });
    return `<h2>${escapeHtml(section.title)}</h2>\n<ul>${entries.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · function-tofu-workspace</title>
<style>${style}</style>
</head>
<body>
<nav>
<a class="home" href="${relativeLink(path, INDEX)}">function-tofu-workspace</a>
${menu.join('\n')}
</nav>
<main>
${content}<footer>${escapeHtml(path)}</footer>
</main>
</body>
</html>
`;
}
