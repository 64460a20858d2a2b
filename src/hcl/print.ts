/**
 * HCL nodes → canonical text. The walker knows meaning; writer.ts knows layout, quote.ts escaping.
 * `tofu fmt` finds nothing to do on the result.
 */
import type {
  AttributeNode,
  BlockNode,
  Body,
  BodyItem,
  Expression,
  ForIterator,
  ListNode,
  ObjectEntry,
  ObjectNode,
  ReferenceNode,
  ReferenceStep,
} from './ast.ts';
import { HclError } from './hcl-error.ts';
import { isIdentifier, isVariableName } from './identifier.ts';
import { commentLines, findUnquotable, quote } from './quote.ts';
import { Writer } from './writer.ts';

/**
 * Prints a file.
 *
 * @returns printable ASCII and newlines, ending with one newline; the same for the same nodes
 * @throws HclError where a name is no identifier, a name or key stands twice in one place, a number
 *   is no safe integer, or a string cannot survive (see quote.ts)
 */
export function print(file: Body): string {
  const printer = new Printer();
  printer.body(file);
  return printer.writer.toText();
}

/**
 * Prints one expression, on one line.
 * @throws HclError as {@link print}
 */
export function printExpression(expression: Expression): string {
  const printer = new Printer();
  printer.expression(expression, true);
  return printer.writer.toText();
}

/** A step into a node: by attribute, block, key or position. */
type Step = AttributeNode | BlockNode | ObjectEntry | number;

class Printer {
  readonly writer = new Writer();
  /** Steps from the file to the node at hand; spelled only for an error. */
  private readonly path: Step[] = [];

  body(body: Body): void {
    const names = new Set<string>();
    let previous: BodyItem | undefined;
    for (const item of body.items) {
      if (previous !== undefined && hasGap(previous, item)) this.writer.gap();
      if (item.kind === 'attribute') this.claim(names, item.name, item);
      this.item(item);
      previous = item;
    }
  }

  private item(item: BodyItem): void {
    switch (item.kind) {
      case 'attribute':
        this.path.push(item);
        this.assignment(this.identifier(item.name), item.value);
        this.path.pop();
        return;
      case 'block':
        this.path.push(item);
        this.block(item);
        this.path.pop();
        return;
      case 'comment':
        for (const line of commentLines(item.text)) this.writer.line(line === '' ? '#' : `# ${line}`);
        return;
      case 'commented':
        if (item.body.items.length === 0) this.writer.line('#');
        this.writer.indent('# ');
        this.body(item.body);
        this.writer.outdent();
        return;
    }
  }

  private block({ type, labels, body }: BlockNode): void {
    let head = this.identifier(type);
    for (const label of labels) head += ` ${this.label(label)}`;
    if (body.items.length === 0) {
      this.writer.line(`${head} {}`);
      return;
    }
    this.writer.line(`${head} {`);
    this.writer.indent();
    this.body(body);
    this.writer.outdent();
    this.writer.line('}');
  }

  /** A whole line, or lines. */
  private assignment(lead: string, value: Expression): void {
    const begun = this.writer.beginAssignment(lead);
    this.expression(value, false);
    this.writer.endAssignment(begun);
    this.writer.endLine();
  }

  /** @param inline inside something on one line, where everything stays on that line */
  expression(expression: Expression, inline: boolean): void {
    const { writer } = this;
    switch (expression.kind) {
      case 'string':
        writer.write(this.string(expression.value));
        return;
      case 'number':
        writer.write(this.integer(expression.value));
        return;
      case 'bool':
        writer.write(expression.value ? 'true' : 'false');
        return;
      case 'null':
        writer.write('null');
        return;
      case 'list':
        this.list(expression, inline);
        return;
      case 'object':
        this.object(expression, inline);
        return;
      case 'reference':
        this.reference(expression);
        return;
      case 'for-list':
        writer.write('[');
        this.iterator(expression.iterator);
        this.expression(expression.item, true);
        writer.write(']');
        return;
      case 'for-object':
        writer.write('{ ');
        this.iterator(expression.iterator);
        this.expression(expression.key, true);
        writer.write(' => ');
        this.expression(expression.value, true);
        writer.write(' }');
        return;
      case 'call':
        writer.write(`${this.identifier(expression.name)}(`);
        this.separated(expression.args);
        writer.write(')');
        return;
    }
  }

  private list(node: ListNode, inline: boolean): void {
    const { writer } = this;
    if (inline || node.layout === 'inline' || node.items.length === 0) {
      writer.write('[');
      this.separated(node.items);
      writer.write(']');
      return;
    }
    writer.write('[');
    writer.endLine();
    writer.indent();
    for (const [position, item] of node.items.entries()) {
      writer.startLine();
      this.path.push(position);
      this.expression(item, false);
      this.path.pop();
      writer.write(',');
      writer.endLine();
    }
    writer.outdent();
    writer.startLine();
    writer.write(']');
  }

  private separated(items: readonly Expression[]): void {
    for (const [position, item] of items.entries()) {
      if (position > 0) this.writer.write(', ');
      this.path.push(position);
      this.expression(item, true);
      this.path.pop();
    }
  }

  private object(node: ObjectNode, inline: boolean): void {
    const { writer } = this;
    if (node.entries.length === 0) {
      writer.write('{}');
      return;
    }
    if (inline || node.layout === 'inline') {
      writer.write('{ ');
      this.entries(node, true);
      writer.write(' }');
      return;
    }
    writer.write('{');
    writer.endLine();
    writer.indent();
    this.entries(node, false);
    writer.outdent();
    writer.startLine();
    writer.write('}');
  }

  private entries(node: ObjectNode, inline: boolean): void {
    const names = new Set<string>();
    for (const [position, entry] of node.entries.entries()) {
      const { key, value } = entry;
      this.claim(names, key, entry);
      this.path.push(entry);
      const lead = node.keys === 'bare' && isVariableName(key) ? key : this.string(key);
      if (inline) {
        this.writer.write(`${position > 0 ? ', ' : ''}${lead} = `);
        this.expression(value, true);
      } else {
        this.assignment(lead, value);
      }
      this.path.pop();
    }
  }

  private reference(node: ReferenceNode): void {
    if (!isVariableName(node.root)) this.refuse(`expected a name that HCL can refer to, got ${show(node.root)}`);
    this.writer.write(node.root);
    for (const step of node.steps) this.referenceStep(step);
  }

  private referenceStep(step: ReferenceStep): void {
    const { writer } = this;
    switch (step.kind) {
      case 'attribute':
        writer.write(`.${this.identifier(step.name)}`);
        return;
      case 'index':
        writer.write(`[${typeof step.key === 'string' ? this.string(step.key) : this.integer(step.key)}]`);
        return;
      case 'index-by':
        writer.write('[');
        this.expression(step.key, true);
        writer.write(']');
        return;
    }
  }

  private iterator(iterator: ForIterator): void {
    const { key, value, collection } = iterator;
    const names = (key === undefined ? [value] : [key, value]).map(name => {
      if (!isVariableName(name)) this.refuse(`expected a name for a loop variable, got ${show(name)}`);
      return name;
    });
    this.writer.write(`for ${names.join(', ')} in `);
    this.expression(collection, true);
    this.writer.write(' : ');
  }

  private string(text: string): string {
    const reason = findUnquotable(text);
    if (reason !== undefined) this.refuse(reason);
    return quote(text);
  }

  /** OpenTofu takes only names as labels, and `tofu fmt` drops or respells one with signs in it. */
  private label(text: string): string {
    return quote(this.identifier(text));
  }

  private integer(value: number): string {
    if (!Number.isSafeInteger(value)) this.refuse(`expected a safe integer, got ${value}`);
    return value.toFixed(0);
  }

  private identifier(name: string): string {
    if (!isIdentifier(name)) this.refuse(`expected an identifier, got ${show(name)}`);
    return name;
  }

  /** HCL takes neither an attribute nor an object key twice. */
  private claim(names: Set<string>, name: string, step: Step): void {
    if (names.has(name)) {
      this.path.push(step);
      this.refuse('expected every name once, got it twice');
    }
    names.add(name);
  }

  private refuse(reason: string): never {
    const path = this.path.map(printStep).join('');
    throw new HclError(path.startsWith('.') ? path.slice(1) : path || 'file', reason);
  }
}

function printStep(step: Step): string {
  if (typeof step === 'number') return `[${step}]`;
  if (!('kind' in step)) return `[${JSON.stringify(step.key)}]`;
  return step.kind === 'attribute' ? `.${step.name}` : [step.type, ...step.labels].map(pathStep).join('');
}

/** Blank lines set blocks apart; attributes stay together, and a comment stays with what it is about. */
function hasGap(previous: BodyItem, item: BodyItem): boolean {
  if (previous.kind === 'comment') return previous.standsAlone;
  return previous.kind !== 'attribute' || item.kind !== 'attribute';
}

function pathStep(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function show(text: string): string {
  return JSON.stringify(text.length <= 64 ? text : `${text.slice(0, 64)}…`);
}
