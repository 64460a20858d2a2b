/**
 * Where in HCL a piece of text ends: in code, in a quoted string or in a comment. A text that is put together from
 * pieces is told piece by piece what may follow.
 *
 * It knows a narrower HCL than OpenTofu: no heredocs (a string's escapes mean nothing in one) and only escapes that
 * evaluate. What it refuses is refused for good; what it takes, the real reader takes the same way or not at all.
 */
import { HclError } from './hcl-error.ts';

/** Two places are the same where both fields are. */
export interface Place {
  /** What is open, outermost first: brackets, `"` a string, `$` a template in it, `#` or `*` a comment. */
  readonly open: string;
  /** The end of the text where it is half a token, such as a `$` that a `{` would make an opener. */
  readonly half: string;
}

export const START: Place = { open: '', half: '' };

export type PlaceKind = 'code' | 'string' | 'comment' | 'half';

export function placeKind({ open, half }: Place): PlaceKind {
  if (half !== '') return 'half';
  const top = open.at(-1) ?? '';
  if (top === '"') return 'string';
  return top === '#' || top === '*' ? 'comment' : 'code';
}

export function samePlace(a: Place, b: Place): boolean {
  return a.open === b.open && a.half === b.half;
}

/**
 * The place behind a piece of text.
 * @throws HclError, its path empty, at what no HCL or no HCL of ours can hold
 */
export function advance(from: Place, piece: string): Place {
  const text = from.half + piece;
  const open = Array.from(from.open);
  let at = 0;
  while (at < text.length) {
    const token = step(text, at, open);
    if (token === 'half') return { open: open.join(''), half: text.slice(at) };
    at += token;
  }
  return { open: open.join(''), half: '' };
}

/** Length of the token, or that the text ends within it. */
type Step = number | 'half';

function step(text: string, at: number, open: string[]): Step {
  switch (open.at(-1)) {
    case '"':
      return stepInString(text, at, open);
    case '#':
      return stepInLineComment(text, at, open);
    case '*':
      return stepInComment(text, at, open);
    default:
      return stepInCode(text, at, open);
  }
}

const OPENER: Readonly<Record<string, string>> = { '}': '{', ']': '[', ')': '(' };

function stepInCode(text: string, at: number, open: string[]): Step {
  const character = text.charAt(at);
  if (character === '/') return stepAtSlash(text, at, open);
  if (character === '<') return stepAtLess(text, at);
  if ('"{[(#'.includes(character)) open.push(character);
  else if (Object.hasOwn(OPENER, character)) close(character, open);
  return 1;
}

function stepAtLess(text: string, at: number): Step {
  if (at + 1 === text.length) return 'half';
  if (text[at + 1] === '<') throw new HclError('', 'expected a quoted string, got a heredoc');
  return 1;
}

function close(character: string, open: string[]): void {
  const top = open.at(-1);
  if (top !== OPENER[character] && !(top === '$' && character === '}'))
    throw new HclError('', `expected brackets that match, got ${character} where ${top ?? 'nothing'} is open`);
  open.pop();
}

function stepAtSlash(text: string, at: number, open: string[]): Step {
  if (at + 1 === text.length) return 'half';
  const next = text[at + 1];
  if (next !== '/' && next !== '*') return 1;
  open.push(next === '/' ? '#' : '*');
  return 2;
}

function stepInLineComment(text: string, at: number, open: string[]): Step {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length - at;
  open.pop();
  return end + 1 - at;
}

function stepInComment(text: string, at: number, open: string[]): Step {
  const star = text.indexOf('*', at);
  if (star < 0) return text.length - at;
  if (star > at) return star - at;
  if (at + 1 === text.length) return 'half';
  if (text[at + 1] !== '/') return 1;
  open.pop();
  return 2;
}

const PLAIN_IN_STRING = /[^"\\$%\n]+/y;

function stepInString(text: string, at: number, open: string[]): Step {
  PLAIN_IN_STRING.lastIndex = at;
  const plain = PLAIN_IN_STRING.exec(text)?.[0];
  if (plain !== undefined) return plain.length;
  switch (text[at]) {
    case '"':
      open.pop();
      return 1;
    case '\\':
      return stepAtEscape(text, at);
    case '\n':
      throw new HclError('', 'expected a string that ends on its line, got the end of the line');
    default:
      return stepAtSign(text, at, open);
  }
}

const ESCAPE = /\\(?:[nrt"\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;
const HALF_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?$/y;

function stepAtEscape(text: string, at: number): Step {
  ESCAPE.lastIndex = at;
  const escape = ESCAPE.exec(text)?.[0];
  if (escape !== undefined) return escape.length;
  HALF_ESCAPE.lastIndex = at;
  if (HALF_ESCAPE.test(text)) return 'half';
  throw new HclError('', `expected an escape that HCL knows, got ${JSON.stringify(text.slice(at, at + 2))}`);
}

/** A dollar or per cent sign: an escaped opener, an opener, or itself. */
function stepAtSign(text: string, at: number, open: string[]): Step {
  const sign = text.charAt(at);
  const rest = text.slice(at, at + 3);
  if (rest === sign || rest === sign + sign) return 'half';
  if (rest === `${sign}${sign}{`) return 3;
  if (rest[1] !== '{') return 1;
  open.push('$');
  return 2;
}
