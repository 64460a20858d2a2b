import { spellOut, type Markup } from '../../src/page/markup.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Makes the nodes of a tree, one by one: no text is ever read as markup. */
export function mount(markup: Markup, inSvg = false): Node {
  if (typeof markup === 'string') return document.createTextNode(spellOut(markup));
  const isSvg = inSvg || markup.tag === 'svg';
  const made = isSvg ? document.createElementNS(SVG, markup.tag) : document.createElement(markup.tag);
  for (const [name, value] of Object.entries(markup.attributes)) made.setAttribute(name, spellOut(value));
  made.append(...markup.children.map(child => mount(child, isSvg)));
  return made;
}
