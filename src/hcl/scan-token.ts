/** The tokens that the scanner must know to find the end of things. None of these throws. */

const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const HEREDOC = /<<(-?)([\p{ID_Start}_][\p{ID_Continue}-]*)[ \t]*\r?\n/uy;
const BLANKS = /[ \t\r]+/y;
const BLANKS_AND_LINES = /[ \t\r\n]+/y;
/** What stands in a quoted string and means only itself. */
const PLAIN = /[^"\\$%\n]+/y;
/** What stands between `${` and its `}` and neither opens nor closes anything. */
const PLAIN_IN_TEMPLATE = /[^"{}#/<]+/y;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function readIdentifier(text: string, at: number): string | undefined {
  return match(IDENTIFIER, text, at);
}

export interface End {
  readonly end: number;
  /** false where the text ended first. */
  readonly closed: boolean;
}

/** Steps over blanks and comments, and over line ends where asked to. A line comment leaves its line end. */
export function skipTrivia(text: string, start: number, newlines: boolean): End {
  const blanks = newlines ? BLANKS_AND_LINES : BLANKS;
  let at = start;
  for (;;) {
    at += match(blanks, text, at)?.length ?? 0;
    const comment = skipComment(text, at);
    if (comment === undefined) return { end: at, closed: true };
    at = comment.end;
    if (!comment.closed) return comment;
  }
}

function skipComment(text: string, at: number): End | undefined {
  if (text[at] === '#' || text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return { end: end < 0 ? text.length : end, closed: true };
  }
  if (!text.startsWith('/*', at)) return undefined;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? { end: text.length, closed: false } : { end: end + 2, closed: true };
}

/** Steps over a heredoc to the end of its closing delimiter; undefined where none begins here. */
export function readHeredoc(text: string, at: number): End | undefined {
  HEREDOC.lastIndex = at;
  const found = HEREDOC.exec(text);
  if (found === null) return undefined;
  const delimiter = found[2];
  let line = HEREDOC.lastIndex;
  while (line < text.length) {
    const newline = text.indexOf('\n', line);
    const end = newline < 0 ? text.length : newline;
    if (text.slice(line, end).trim() === delimiter) return { end, closed: true };
    line = end + 1;
  }
  return { end: text.length, closed: false };
}

export interface Quoted extends End {
  /** The text that it evaluates to; undefined where it is a template, has an unknown escape or no end. */
  readonly value: string | undefined;
}

/**
 * Reads a quoted string from its quote. A line end outside of a template ends it as malformed, so
 * that one forgotten quote does not swallow the file.
 */
export function readQuoted(text: string, start: number): Quoted {
  const parts: string[] = [];
  let literal = true;
  let closed = true;
  let at = start + 1;
  for (;;) {
    const plain = match(PLAIN, text, at);
    if (plain !== undefined) {
      parts.push(plain);
      at += plain.length;
    }
    const character = text[at];
    if (character === undefined || character === '\n') return { end: at, closed: false, value: undefined };
    if (character === '"') return { end: at + 1, closed, value: literal && closed ? parts.join('') : undefined };
    if (character === '\\') {
      const escape = readEscape(text, at);
      if (escape.value === undefined) closed = false;
      else parts.push(escape.value);
      at = escape.end;
      continue;
    }
    const sign = readSign(text, at, character);
    at = sign.end;
    if (!sign.closed) return { end: at, closed: false, value: undefined };
    if (sign.value === undefined) literal = false;
    else parts.push(sign.value);
  }
}

/** Reads a dollar or per cent sign: an escaped opener, a whole template, or itself. */
function readSign(text: string, at: number, sign: string): Quoted {
  if (text.startsWith(`${sign}${sign}{`, at)) return { end: at + 3, closed: true, value: `${sign}{` };
  if (text[at + 1] === '{') return { ...skipTemplate(text, at + 2), value: undefined };
  return { end: at + 1, closed: true, value: sign };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
]);

const UNICODE_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;

function readEscape(text: string, at: number): { readonly end: number; readonly value: string | undefined } {
  const simple = ESCAPES.get(text[at + 1] ?? '');
  if (simple !== undefined) return { end: at + 2, value: simple };
  UNICODE_ESCAPE.lastIndex = at;
  const found = UNICODE_ESCAPE.exec(text);
  const code = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  // The character after an unknown escape's backslash is read again: it may be the line's end.
  return { end: at + (found?.[0].length ?? 1), value: isCharacter ? String.fromCodePoint(code) : undefined };
}

/**
 * Steps over a template's inside, from behind `${` to behind its `}`. Strings in it may hold
 * templates again; a stack of what is open keeps that flat.
 */
function skipTemplate(text: string, start: number): End {
  const open: ('brace' | 'string')[] = ['brace'];
  let at = start;
  while (open.length > 0) {
    if (at >= text.length) return { end: at, closed: false };
    at = open.at(-1) === 'brace' ? stepInBraces(text, at, open) : stepInString(text, at, open);
    if (at < 0) return { end: text.length, closed: false };
  }
  return { end: at, closed: true };
}

function stepInBraces(text: string, at: number, open: ('brace' | 'string')[]): number {
  const plain = match(PLAIN_IN_TEMPLATE, text, at);
  if (plain !== undefined) return at + plain.length;
  const skipped = skipComment(text, at) ?? readHeredoc(text, at);
  if (skipped !== undefined) return skipped.closed ? skipped.end : -1;
  if (text[at] === '"') open.push('string');
  else if (text[at] === '{') open.push('brace');
  else if (text[at] === '}') open.pop();
  return at + 1;
}

function stepInString(text: string, at: number, open: ('brace' | 'string')[]): number {
  const plain = match(PLAIN, text, at);
  if (plain !== undefined) return at + plain.length;
  const character = text[at];
  if (character === '\n') return -1;
  if (character === '\\') return at + 2;
  if (character === '"') {
    open.pop();
    return at + 1;
  }
  if (text.startsWith(`${character}${character}{`, at)) return at + 3;
  if (text[at + 1] === '{') {
    open.push('brace');
    return at + 2;
  }
  return at + 1;
}
