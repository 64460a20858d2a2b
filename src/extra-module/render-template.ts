import { FieldError } from '../errors.ts';
import { list, map, string, strings } from '../hcl/build.ts';
import type { Expression } from '../hcl/ast.ts';
import { isHclError } from '../hcl/hcl-error.ts';
import { printExpression } from '../hcl/print.ts';
import { escapePart, findUnquotable } from '../hcl/quote.ts';
import type { ExtraData } from './data.ts';
import type { DataPath, ExtraTemplate, TemplateNode } from './parse-template.ts';

type Datum = string | boolean | readonly Datum[] | { readonly [field: string]: Datum };

/** Loops within loops over many objects end here, not with the memory of the process. */
const MAX_LENGTH = 512 * 1024;
const MAX_STEPS = 500_000;

/**
 * Renders for one namespace.
 * @param path what holds the template, for the message
 * @throws FieldError where a text cannot stand in HCL unchanged, a map would have a key twice, or it grows too long
 */
export function renderExtraTemplate(template: ExtraTemplate, data: ExtraData, path: string): string {
  const writer = new Writer(path);
  writer.nodes(template.nodes, [data]);
  return writer.toText();
}

/** What `this` is, innermost first. */
type Scopes = readonly Datum[];

class Writer {
  private readonly path: string;
  private readonly parts: string[] = [];
  private length = 0;
  private steps = 0;

  constructor(path: string) {
    this.path = path;
  }

  toText(): string {
    return this.parts.join('');
  }

  nodes(nodes: readonly TemplateNode[], scopes: Scopes): void {
    for (const node of nodes) this.node(node, scopes);
  }

  private node(node: TemplateNode, scopes: Scopes): void {
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw new FieldError(this.path, `at most ${MAX_STEPS} steps`, { words: 'more' });
    switch (node.kind) {
      case 'text':
        this.write(node.text);
        return;
      case 'value':
        this.write(this.part(textAt(scopes, node.path)));
        return;
      case 'string':
        this.expression(string(textAt(scopes, node.path)));
        return;
      case 'list':
        this.expression(strings(listAt(scopes, node.path).map(item => asText(memberOf(item, node.field)))));
        return;
      case 'map':
        this.expression(
          map(
            listAt(scopes, node.path).map(item => {
              const value = memberOf(item, node.value);
              return [asText(memberOf(item, node.key)), toExpression(value)] as const;
            }),
          ),
        );
        return;
      case 'if':
        this.nodes(isTrue(find(scopes, node.path)) ? node.body : node.otherwise, scopes);
        return;
      case 'each':
        this.each(node, scopes);
        return;
    }
  }

  private each(node: Extract<TemplateNode, { kind: 'if' | 'each' }>, scopes: Scopes): void {
    const items = listAt(scopes, node.path);
    if (items.length === 0) this.nodes(node.otherwise, scopes);
    for (const item of items) this.nodes(node.body, [item, ...scopes]);
  }

  private part(text: string): string {
    const reason = findUnquotable(text);
    if (reason === undefined) return escapePart(text);
    throw this.fault(reason);
  }

  private expression(expression: Expression): void {
    try {
      this.write(printExpression(expression));
    } catch (error) {
      if (isHclError(error)) throw this.fault(error.reason);
      throw error;
    }
  }

  private write(text: string): void {
    this.length += text.length;
    if (this.length > MAX_LENGTH)
      throw new FieldError(this.path, `a text of at most ${MAX_LENGTH} characters`, { words: 'a longer one' });
    this.parts.push(text);
  }

  /** @param reason `expected …, got …`, as hcl/ says it */
  private fault(reason: string): FieldError {
    const [expected = '', got = 'another'] = reason.replace(/^expected /, '').split(', got ');
    return new FieldError(this.path, expected, { words: got });
  }
}

// What follows cannot fail: parse-template has checked every path against the shape of the data.

function find(scopes: Scopes, { up, fields }: DataPath): Datum {
  let found = scopes[up] ?? '';
  for (const field of fields) found = memberOf(found, field);
  return found;
}

function memberOf(value: Datum, field: string | undefined): Datum {
  if (field === undefined) return value;
  return typeof value === 'object' && !isList(value) && Object.hasOwn(value, field) ? (value[field] ?? '') : '';
}

function isList(value: Datum): value is readonly Datum[] {
  return Array.isArray(value);
}

function listAt(scopes: Scopes, path: DataPath): readonly Datum[] {
  const found = find(scopes, path);
  return isList(found) ? found : [];
}

function textAt(scopes: Scopes, path: DataPath): string {
  return asText(find(scopes, path));
}

function asText(value: Datum): string {
  return typeof value === 'string' ? value : '';
}

function toExpression(value: Datum): Expression {
  return isList(value) ? list(value.map(item => string(asText(item)))) : string(asText(value));
}

/** As in Handlebars: an empty list and an empty text are false. */
function isTrue(value: Datum): boolean {
  return isList(value) ? value.length > 0 : value !== '' && value !== false;
}
