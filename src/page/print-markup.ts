import { spellOut, type Markup } from './markup.ts';

const VOID = new Set(['meta', 'br', 'input']);
/** HTML reads what is in them as it stands, to their end tag. */
const RAW = new Set(['style', 'script']);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Prints a tree as HTML. The single place that makes HTML text. */
export function printMarkup(markup: Markup): string {
  if (typeof markup === 'string') return escape(markup);
  const { tag, attributes, children } = markup;
  if (!/^[a-zA-Z][a-zA-Z0-9]*$/.test(tag)) throw new Error(`not the name of an element: ${tag}`);
  const open = `<${tag}${Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escape(value)}"`)
    .join('')}>`;
  if (VOID.has(tag)) return open;
  return `${open}${RAW.has(tag) ? printRaw(children) : children.map(printMarkup).join('')}</${tag}>`;
}

function escape(text: string): string {
  return spellOut(text).replace(/[&<>"']/g, character => ENTITIES[character] ?? '');
}

/** Of our own making alone: it must not need an escape, since there is none. */
function printRaw(children: readonly Markup[]): string {
  const text = children.map(child => (typeof child === 'string' ? child : '</')).join('');
  if (/<[/!]/.test(text)) throw new Error('raw text that could end its own element');
  return text;
}
