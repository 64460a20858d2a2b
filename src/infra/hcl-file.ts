/**
 * Reads the literals of HCL files that people wrote: blocks, and attributes whose values are strings, numbers, truth
 * values, lists and objects of such. Every other expression is kept as its text. Nothing is evaluated.
 *
 * hcl/scan.ts reads structure for decisions about data and knows no places; this one knows lines and deeper objects,
 * and throws where it does not understand.
 */
import { readHeredoc, readIdentifier, readQuoted, skipTrivia } from '../hcl/scan-token.ts';
import type { SourceFile } from './finding.ts';

export type HclValue =
  | { readonly kind: 'string'; readonly line: number; readonly value: string }
  | { readonly kind: 'number'; readonly line: number; readonly value: number }
  | { readonly kind: 'boolean'; readonly line: number; readonly value: boolean }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly HclValue[] }
  | { readonly kind: 'object'; readonly line: number; readonly entries: ReadonlyMap<string, HclValue> }
  | { readonly kind: 'expression'; readonly line: number; readonly text: string };

export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly line: number;
  readonly attributes: ReadonlyMap<string, HclValue>;
  readonly blocks: readonly HclBlock[];
}

/** The top-level blocks of a file. @throws Error with file and line where the text is not HCL that is understood */
export function parseHclFile(source: SourceFile): readonly HclBlock[] {
  return new Reader(source).body(undefined).blocks;
}

type Body = Pick<HclBlock, 'attributes' | 'blocks'>;

const NUMBER = /-?\d+(\.\d+)?/y;
const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

class Reader {
  private readonly source: SourceFile;
  private readonly text: string;
  private at = 0;

  constructor(source: SourceFile) {
    this.source = source;
    this.text = source.text;
  }

  /** @param closer the brace that ends the body, undefined for a file */
  body(closer: string | undefined): Body {
    const attributes = new Map<string, HclValue>();
    const blocks: HclBlock[] = [];
    for (;;) {
      this.skip(true);
      const character = this.text[this.at];
      if (character === closer) {
        this.at += 1;
        return { attributes, blocks };
      }
      const name = readIdentifier(this.text, this.at) ?? this.fail('expected the name of an attribute or block');
      const line = this.line();
      this.at += name.length;
      this.skip(false);
      if (this.text[this.at] === '=') {
        this.at += 1;
        attributes.set(name, this.value());
      } else blocks.push({ type: name, line, labels: this.labels(), ...this.body('}') });
    }
  }

  private labels(): string[] {
    const labels: string[] = [];
    for (;;) {
      this.skip(false);
      if (this.text[this.at] === '{') {
        this.at += 1;
        return labels;
      }
      labels.push(this.name());
    }
  }

  /** An identifier or a literal string. */
  private name(): string {
    if (this.text[this.at] === '"') return this.quoted() ?? this.fail('expected a literal string');
    const found = readIdentifier(this.text, this.at) ?? this.fail('expected a name');
    this.at += found.length;
    return found;
  }

  private value(): HclValue {
    this.skip(false);
    const start = this.at;
    const line = this.line();
    const literal = this.literal(line);
    if (literal !== undefined && this.endsHere()) return literal;
    this.at = start;
    this.skipExpression();
    return { kind: 'expression', line, text: this.text.slice(start, this.at).trim() };
  }

  private literal(line: number): HclValue | undefined {
    const character = this.text[this.at];
    if (character === '{') return this.object(line);
    if (character === '[') return this.list(line);
    if (character === '"') {
      const value = this.quoted();
      return value === undefined ? undefined : { kind: 'string', line, value };
    }
    NUMBER.lastIndex = this.at;
    const number = NUMBER.exec(this.text)?.[0];
    if (number !== undefined) {
      this.at += number.length;
      return { kind: 'number', line, value: Number(number) };
    }
    const word = readIdentifier(this.text, this.at);
    if (word !== 'true' && word !== 'false') return undefined;
    this.at += word.length;
    return { kind: 'boolean', line, value: word === 'true' };
  }

  private list(line: number): HclValue | undefined {
    const items: HclValue[] = [];
    this.at += 1;
    for (;;) {
      this.skip(true);
      if (this.text[this.at] === ']') {
        this.at += 1;
        return { kind: 'list', line, items };
      }
      if (readIdentifier(this.text, this.at) === 'for') return undefined;
      items.push(this.value());
      this.skip(true);
      if (this.text[this.at] === ',') this.at += 1;
    }
  }

  private object(line: number): HclValue | undefined {
    const entries = new Map<string, HclValue>();
    this.at += 1;
    for (;;) {
      this.skip(true);
      if (this.text[this.at] === '}') {
        this.at += 1;
        return { kind: 'object', line, entries };
      }
      // A `for` expression, or a key that must be evaluated.
      if (readIdentifier(this.text, this.at) === 'for' || this.text[this.at] === '(') return undefined;
      const key = this.name();
      this.skip(false);
      if (this.text[this.at] !== '=' && this.text[this.at] !== ':') return undefined;
      this.at += 1;
      entries.set(key, this.value());
      this.skip(true);
      if (this.text[this.at] === ',') this.at += 1;
    }
  }

  /** Whether the value that was read is all: what follows ends it. */
  private endsHere(): boolean {
    this.skip(false);
    const character = this.text[this.at];
    return character === undefined || '\n,]}'.includes(character);
  }

  private skipExpression(): void {
    const closers: string[] = [];
    for (;;) {
      this.skip(closers.length > 0);
      const character = this.text[this.at];
      if (character === undefined || (closers.length === 0 && '\n,]})'.includes(character))) return;
      if (character === '"') this.quoted();
      else if (character === '<' && readHeredoc(this.text, this.at) !== undefined)
        this.at = readHeredoc(this.text, this.at)?.end ?? this.text.length;
      else {
        this.at += 1;
        const closer = CLOSERS[character];
        if (closer !== undefined) closers.push(closer);
        else if (character === closers.at(-1)) closers.pop();
      }
    }
  }

  /** undefined for a template. */
  private quoted(): string | undefined {
    const { end, value, closed } = readQuoted(this.text, this.at);
    if (!closed) this.fail('expected the end of a string');
    this.at = end;
    return value;
  }

  private skip(newlines: boolean): void {
    this.at = skipTrivia(this.text, this.at, newlines).end;
  }

  private line(): number {
    return this.text.slice(0, this.at).split('\n').length;
  }

  private fail(expected: string): never {
    const { file } = this.source;
    throw new Error(
      `${file}:${this.line()}: ${expected}, got ${JSON.stringify(this.text.slice(this.at, this.at + 20))}`,
    );
  }
}

/**
 * The literal map that is a variable's default.
 * @throws Error with file and line where it is missing or not literal
 */
export function readDefaultMap(source: SourceFile, name: string): ReadonlyMap<string, HclValue> {
  const variable = parseHclFile(source).find(({ type, labels }) => type === 'variable' && labels[0] === name);
  const map = variable?.attributes.get('default');
  if (map?.kind === 'object') return map.entries;
  throw new Error(
    `${source.file}:${variable?.line ?? 1}: expected variable "${name}" with a literal map as its default`,
  );
}
