/**
 * What a Markdown file of this repository says: headings, links, fenced blocks, code spans, each with its line.
 * The parser is the one that the site is built with, so that a check never reads a page otherwise than the site does.
 */
import markdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { anchors } from './anchor.ts';

export interface Placed {
  /** From 1. */
  readonly line: number;
}

export interface Heading extends Placed {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

export interface Link extends Placed {
  readonly href: string;
  readonly text: string;
}

/** A fenced block. Its info string is a language and then marks: `sh needs=cluster`, `yaml file=install/rbac.yaml`. */
export interface Fence extends Placed {
  readonly language: string;
  readonly marks: ReadonlyMap<string, string>;
  readonly content: string;
}

export interface CodeSpan extends Placed {
  readonly text: string;
}

export interface Document {
  /** From the root of the repository. */
  readonly path: string;
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  readonly fences: readonly Fence[];
  readonly codeSpans: readonly CodeSpan[];
}

/** HTML passes through, for comments. */
export const MARKDOWN_OPTIONS = { html: true };

const markdown = markdownIt(MARKDOWN_OPTIONS);

export function readDocument(path: string, text: string): Document {
  const headings: Heading[] = [];
  const links: Link[] = [];
  const fences: Fence[] = [];
  const codeSpans: CodeSpan[] = [];
  const toId = anchors();
  const tokens = markdown.parse(text, {});
  let line = 1;
  for (const [index, token] of tokens.entries()) {
    // Cells of a table have no place of their own, their row has.
    line = token.map === null ? line : token.map[0] + 1;
    if (token.type === 'fence') fences.push({ line, ...parseInfo(token.info), content: token.content });
    if (token.type !== 'inline') continue;
    const opener = tokens[index - 1];
    if (opener?.type === 'heading_open') {
      const plain = plainText(token.children);
      headings.push({ line, text: plain, id: toId(plain), level: Number(opener.tag.slice(1)) });
    }
    links.push(...readLinks(token, line));
    for (const child of token.children ?? [])
      if (child.type === 'code_inline') codeSpans.push({ line, text: child.content });
  }
  return { path, headings, links, fences, codeSpans };
}

export function parseInfo(info: string): Pick<Fence, 'language' | 'marks'> {
  const [language = '', ...words] = info.trim().split(/\s+/);
  const marks = words.map((word): [string, string] => {
    const at = word.indexOf('=');
    return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
  return { language, marks: new Map(marks) };
}

/** What a heading says, without its markup. */
export function plainText(children: readonly Token[] | null): string {
  return (children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
}

/** Links and pictures of a paragraph; the line is that on which the paragraph begins. */
function readLinks(inline: Token, line: number): Link[] {
  const found: Link[] = [];
  const children = inline.children ?? [];
  for (const [index, child] of children.entries()) {
    const href = child.attrGet(child.type === 'image' ? 'src' : 'href');
    if (href === null) continue;
    const end = children.findIndex((other, at) => at > index && other.type === 'link_close');
    const text = child.type === 'image' ? child.content : plainText(children.slice(index, end));
    found.push({ line, href, text });
  }
  return found;
}
