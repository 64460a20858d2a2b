/**
 * Reads the structure of HCL text that others wrote: which blocks there are, with which labels, and
 * which attributes are literal strings. Nothing is evaluated.
 *
 * It never throws and takes linear time. Whatever it does not understand it steps over and says so
 * with `complete: false`; a caller that decides about data treats that as doubt.
 */
import { skipTrivia, readHeredoc, readIdentifier, readQuoted } from './scan-token.ts';

/** undefined where the value is no literal. */
export type ScannedString = string | undefined;

/** A literal string, an object whose entries may be literal strings, or undefined for anything else. */
export type ScannedValue = ScannedString | ReadonlyMap<string, ScannedString>;

export interface ScannedBody {
  readonly attributes: ReadonlyMap<string, ScannedValue>;
  /** The text of each attribute's value as it stands there, comments within and behind it included. */
  readonly expressions: ReadonlyMap<string, string>;
  /** In the order of the text. */
  readonly blocks: readonly ScannedBlock[];
}

export interface ScannedBlock extends ScannedBody {
  readonly type: string;
  readonly labels: readonly string[];
}

export interface Scan extends ScannedBody {
  /** false where something was not understood: then blocks or attributes may be missing. */
  readonly complete: boolean;
}

/** Scans a whole file. */
export function scanStructure(text: string): Scan {
  return new Scanner(text).file(Infinity);
}

/** Scans up to the end of the first top-level block: for text whose rest does not matter. */
export function scanFirstBlock(text: string): Scan {
  return new Scanner(text).file(1);
}

/**
 * Blocks of one type directly in a body, optionally only those whose first labels are these:
 * `findBlocks(scan, 'resource', 'b2_bucket')`.
 */
export function findBlocks(body: ScannedBody, type: string, ...labels: readonly string[]): readonly ScannedBlock[] {
  return body.blocks.filter(
    block => block.type === type && labels.every((label, position) => block.labels[position] === label),
  );
}

interface OpenBody {
  readonly attributes: Map<string, ScannedValue>;
  readonly expressions: Map<string, string>;
  readonly blocks: ScannedBlock[];
}

function openBody(): OpenBody {
  return { attributes: new Map(), expressions: new Map(), blocks: [] };
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['(', ')'],
]);

/** Blanks, line ends and `#` are all up to here; only a comment's slash is behind it. */
const HIGHEST_OF_TRIVIA = '#'.charCodeAt(0);
const SLASH = '/'.charCodeAt(0);

class Scanner {
  private readonly text: string;
  private at = 0;
  private complete = true;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith('\uFEFF')) this.at = 1;
  }

  /** @param blocks how many top-level blocks to read */
  file(blocks: number): Scan {
    const root = openBody();
    // A stack of its own: text nested a hundred thousand deep must not end the process's stack.
    const open: OpenBody[] = [root];
    let current = root;
    while (open.length > 1 || root.blocks.length < blocks) {
      this.skip(true);
      if (this.at >= this.text.length) break;
      if (this.text[this.at] === '}') {
        this.at += 1;
        const outer = open.length > 1 ? open.at(-2) : undefined;
        if (outer === undefined) this.complete = false;
        else {
          open.pop();
          current = outer;
        }
        continue;
      }
      const opened = this.item(current);
      if (opened === undefined) continue;
      open.push(opened);
      current = opened;
    }
    return { ...root, complete: this.complete && open.length === 1 };
  }

  /** Reads an attribute, or the head of a block up to its brace; returns the block that is now open. */
  private item(into: OpenBody): OpenBody | undefined {
    const name = readIdentifier(this.text, this.at);
    if (name === undefined) {
      this.giveUpLine();
      return undefined;
    }
    this.at += name.length;
    this.skip(false);
    if (this.text[this.at] === '=' && this.text[this.at + 1] !== '=') {
      this.at += 1;
      this.attribute(into, name);
      return undefined;
    }
    const labels = this.labels();
    if (labels === undefined) {
      this.giveUpLine();
      return undefined;
    }
    const block: ScannedBlock & OpenBody = { type: name, labels, ...openBody() };
    into.blocks.push(block);
    return block;
  }

  /** Labels up to and including the brace; undefined where no brace follows. */
  private labels(): readonly string[] | undefined {
    const labels: string[] = [];
    for (;;) {
      this.skip(false);
      const character = this.text[this.at];
      if (character === '{') {
        this.at += 1;
        return labels;
      }
      const label = character === '"' ? this.quoted() : readIdentifier(this.text, this.at);
      if (label === undefined) return undefined;
      if (character !== '"') this.at += label.length;
      labels.push(label);
    }
  }

  private attribute(into: OpenBody, name: string): void {
    this.skip(false);
    const start = this.at;
    const value = this.value();
    // HCL refuses a second one; we cannot know which of the two its writer meant.
    if (into.attributes.has(name)) this.complete = false;
    else {
      into.attributes.set(name, value);
      into.expressions.set(name, this.text.slice(start, this.at).trimEnd());
    }
  }

  private value(): ScannedValue {
    const start = this.at;
    if (this.text[start] === '{') {
      const entries = this.objectEntries();
      if (entries !== undefined && this.atEndOfValue()) return entries;
      this.at = start;
    }
    return this.literal(false);
  }

  /**
   * Reads an expression to its end and returns it if it is one literal string.
   * @param inObject the expression ends at a comma, too
   */
  private literal(inObject: boolean): ScannedString {
    const start = this.at;
    if (this.text[start] === '"') {
      const text = this.quoted();
      if (this.atEndOfValue() || (inObject && this.text[this.at] === ',')) return text;
    }
    this.skipExpression(inObject);
    return undefined;
  }

  /**
   * Reads an object constructor from its brace; undefined (at no particular place) where it has
   * keys that are no plain names, such as a `for` expression.
   */
  private objectEntries(): ReadonlyMap<string, ScannedString> | undefined {
    const entries = new Map<string, ScannedString>();
    this.at += 1;
    for (;;) {
      this.skip(true);
      const character = this.text[this.at];
      if (character === '}') {
        this.at += 1;
        return entries;
      }
      const key = character === '"' ? this.quoted() : readIdentifier(this.text, this.at);
      if (key === undefined) return undefined;
      if (character !== '"') this.at += key.length;
      this.skip(false);
      const sign = this.text[this.at];
      if (sign !== '=' && sign !== ':') return undefined;
      this.at += 1;
      this.skip(false);
      entries.set(key, this.literal(true));
      this.skip(false);
      if (this.text[this.at] === ',') this.at += 1;
    }
  }

  /** Whether what was read so far is the whole value: the line, the body or the text ends here. */
  private atEndOfValue(): boolean {
    this.skip(false);
    const character = this.text[this.at];
    return character === undefined || character === '\n' || character === '}';
  }

  /** Steps over an expression: to the end of its line, or of the brackets that it opens. */
  private skipExpression(inObject: boolean): void {
    const closers: string[] = [];
    for (;;) {
      this.skip(closers.length > 0);
      const character = this.text[this.at];
      if (character === undefined) {
        if (closers.length > 0) this.complete = false;
        return;
      }
      if (closers.length === 0 && (character === '\n' || character === '}' || (inObject && character === ','))) return;
      this.skipToken(character, closers);
    }
  }

  private skipToken(character: string, closers: string[]): void {
    if (character === '"') {
      this.quoted();
      return;
    }
    const heredocEnd = character === '<' ? readHeredoc(this.text, this.at) : undefined;
    if (heredocEnd !== undefined) {
      if (!heredocEnd.closed) this.complete = false;
      this.at = heredocEnd.end;
      return;
    }
    this.at += 1;
    const closer = CLOSERS.get(character);
    if (closer !== undefined) closers.push(closer);
    else if (character === '}' || character === ']' || character === ')') {
      if (closers.at(-1) === character) closers.pop();
      else this.complete = false;
    }
  }

  /** Reads a quoted string; undefined where it is a template or malformed. */
  private quoted(): ScannedString {
    const { end, value, closed } = readQuoted(this.text, this.at);
    this.at = end;
    if (!closed) this.complete = false;
    return value;
  }

  private skip(newlines: boolean): void {
    const code = this.text.charCodeAt(this.at);
    if (code > HIGHEST_OF_TRIVIA && code !== SLASH) return;
    const { end, closed } = skipTrivia(this.text, this.at, newlines);
    this.at = end;
    if (!closed) this.complete = false;
  }

  private giveUpLine(): void {
    this.complete = false;
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end;
  }
}
