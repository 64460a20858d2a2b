/**
 * A small reader of HCL, for the model alone: it shares nothing with src/hcl, so that a text which our
 * printer spells wrongly is not read back by the same mistake. It knows what modules of ours and of the
 * older Composition hold, and throws on anything else.
 */

/** `text` is an expression that is neither a string, a bool nor a map: a reference, a call, a list. */
export type Value =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Value> }
  | { readonly kind: 'text'; readonly text: string };

export interface Block {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, Value>;
  readonly blocks: readonly Block[];
}

export function readBlocks(text: string): readonly Block[] {
  return new Reader(text).body(undefined).blocks;
}

export function readString(block: Block | undefined, attribute: string): string | undefined {
  const value = block?.attributes.get(attribute);
  return value?.kind === 'string' ? value.value : undefined;
}

export function readText(block: Block | undefined, attribute: string): string | undefined {
  const value = block?.attributes.get(attribute);
  return value?.kind === 'text' ? value.text : undefined;
}

interface OpenBody {
  readonly attributes: Map<string, Value>;
  readonly blocks: Block[];
}

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  body(end: '}' | undefined): OpenBody {
    const open: OpenBody = { attributes: new Map(), blocks: [] };
    for (;;) {
      this.take(/(?:\s|#[^\n]*)*/y);
      if (this.at >= this.text.length || this.text[this.at] === '}') break;
      this.item(open);
    }
    if ((this.text[this.at] === '}') !== (end === '}')) throw this.fault('a body that ends');
    this.at += 1;
    return open;
  }

  private item(into: OpenBody): void {
    const name = this.need(/[A-Za-z_][-A-Za-z0-9_]*/y, 'a name');
    this.take(/[ ]*/y);
    if (this.take(/=[ ]*/y) !== undefined) {
      if (into.attributes.has(name)) throw this.fault(`one ${name}`);
      into.attributes.set(name, this.value());
      return;
    }
    const labels: string[] = [];
    for (let label = this.take(/"[^"\n]*"/y); label !== undefined; label = this.take(/"[^"\n]*"/y)) {
      labels.push(label.slice(1, -1));
      this.take(/[ ]*/y);
    }
    this.need(/\{/y, `a block or a value after ${name}`);
    into.blocks.push({ type: name, labels, ...this.body('}') });
  }

  private value(): Value {
    if (this.text[this.at] === '"') return { kind: 'string', value: this.quoted() };
    if (this.take(/\{(?!\s*for )/y) !== undefined) return { kind: 'map', entries: this.entries() };
    const text = this.expression();
    if (text === 'true' || text === 'false') return { kind: 'bool', value: text === 'true' };
    return { kind: 'text', text };
  }

  private entries(): ReadonlyMap<string, Value> {
    const entries = new Map<string, Value>();
    for (;;) {
      this.take(/[\s,]*/y);
      if (this.take(/\}/y) !== undefined) return entries;
      const key = this.text[this.at] === '"' ? this.quoted() : this.need(/[A-Za-z_][-A-Za-z0-9_]*/y, 'a key');
      this.need(/[ ]*=[ ]*/y, 'a value');
      if (entries.has(key)) throw this.fault(`one key ${key}`);
      entries.set(key, this.value());
    }
  }

  private quoted(): string {
    const text = this.need(/"(?:[^"\\\n]|\\.)*"/y, 'a string');
    if (/(?:^|[^$%])[$%]\{/.test(text)) throw this.fault('a string without a template');
    return JSON.parse(text) as string;
  }

  /** To the end of its line, or beyond it as far as brackets are open. */
  private expression(): string {
    const start = this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at += 1) {
      const character = this.text.charAt(this.at);
      if (depth === 0 && /[\n,}]/.test(character)) break;
      if (/[[({]/.test(character)) depth += 1;
      if (/[\])}]/.test(character)) depth -= 1;
    }
    return this.text.slice(start, this.at).trim();
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private need(pattern: RegExp, what: string): string {
    const found = this.take(pattern);
    if (found === undefined) throw this.fault(what);
    return found;
  }

  private fault(expected: string): Error {
    return new Error(`expected ${expected} at ${JSON.stringify(this.text.slice(this.at, this.at + 60))}`);
  }
}
