/**
 * HCL nodes → canonical text. The walker knows meaning; writer.ts knows layout, quote.ts escaping.
 * `tofu fmt` finds nothing to do on the result.
 */
import type {
  Body,
  BodyItem,
  Expression,
  ForIterator,
  ListNode,
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

class Printer {
  readonly writer = new Writer();
  /** Steps from the file to the node at hand; joined only for an error. */
  private readonly path: string[] = [];

  body(body: Body): void {
    const names = new Set<string>();
    let previous: BodyItem | undefined;
    for (const item of body.items) {
      if (previous !== undefined && hasGap(previous, item)) this.writer.gap();
      if (item.kind === 'attribute') this.claim(names, item.name, `.${item.name}`);
      this.item(item);
      previous = item;
    }
  }

  private item(item: BodyItem): void {
    switch (item.kind) {
      case 'attribute':
        this.at(`.${item.name}`, () => {
          this.writer.assignment(this.identifier(item.name), () => {
            this.expression(item.value, false);
          });
        });
        this.writer.endLine();
        return;
      case 'block':
        this.at([item.type, ...item.labels].map(pathStep).join(''), () => {
          this.block(item.type, item.labels, item.body);
        });
        return;
      case 'comment':
        for (const line of commentLines(item.text)) this.writer.line(line === '' ? '#' : `# ${line}`);
        return;
      case 'commented':
        for (const line of print(item.body).trimEnd().split('\n')) this.writer.line(line === '' ? '#' : `# ${line}`);
        return;
    }
  }

  private block(type: string, labels: readonly string[], content: Body): void {
    const head = [this.identifier(type), ...labels.map(label => this.label(label))].join(' ');
    if (content.items.length === 0) {
      this.writer.line(`${head} {}`);
      return;
    }
    this.writer.line(`${head} {`);
    this.writer.indented(() => {
      this.body(content);
    });
    this.writer.line('}');
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
    writer.indented(() => {
      for (const [position, item] of node.items.entries()) {
        writer.startLine();
        this.at(`[${position}]`, () => {
          this.expression(item, false);
        });
        writer.write(',');
        writer.endLine();
      }
    });
    writer.startLine();
    writer.write(']');
  }

  private separated(items: readonly Expression[]): void {
    for (const [position, item] of items.entries()) {
      if (position > 0) this.writer.write(', ');
      this.at(`[${position}]`, () => {
        this.expression(item, true);
      });
    }
  }

  private object(node: ObjectNode, inline: boolean): void {
    const { writer } = this;
    if (node.entries.length === 0) {
      writer.write('{}');
      return;
    }
    const names = new Set<string>();
    const oneLine = inline || node.layout === 'inline';
    const writeEntries = (): void => {
      for (const [position, { key, value }] of node.entries.entries()) {
        const step = `[${JSON.stringify(key)}]`;
        this.claim(names, key, step);
        this.at(step, () => {
          const lead = node.keys === 'bare' && isVariableName(key) ? key : this.string(key);
          if (oneLine) {
            writer.write(`${position > 0 ? ', ' : ''}${lead} = `);
            this.expression(value, true);
          } else {
            writer.assignment(lead, () => {
              this.expression(value, false);
            });
            writer.endLine();
          }
        });
      }
    };
    if (oneLine) {
      writer.write('{ ');
      writeEntries();
      writer.write(' }');
      return;
    }
    writer.write('{');
    writer.endLine();
    writer.indented(writeEntries);
    writer.startLine();
    writer.write('}');
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
  private claim(names: Set<string>, name: string, step: string): void {
    if (names.has(name))
      this.at(step, () => {
        this.refuse('expected every name once, got it twice');
      });
    names.add(name);
  }

  private at(step: string, act: () => void): void {
    this.path.push(step);
    act();
    this.path.pop();
  }

  private refuse(reason: string): never {
    const path = this.path.join('');
    throw new HclError(path.startsWith('.') ? path.slice(1) : path || 'file', reason);
  }
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
