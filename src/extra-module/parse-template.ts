/**
 * Handlebars template → a tree of our own in which every name is offered and every value stands where its escape is
 * right. Handlebars only parses: nothing is compiled, and no helper of its own is known.
 */
import { FieldError, quoteShort } from '../errors.ts';
import { isHclError } from '../hcl/hcl-error.ts';
import { advance, placeKind, samePlace, START, type Place, type PlaceKind } from '../hcl/lexical-place.ts';
import { describeOriginal, describeStrangers, isNode, parseProgram } from '../template.ts';
import { OFFERED, type OfferedName, type Shape } from './data.ts';

/** A value: how many `each` outwards, then which fields. */
export interface DataPath {
  readonly up: number;
  readonly fields: readonly string[];
}

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  /** A text within a quoted string. */
  | { readonly kind: 'value'; readonly path: DataPath }
  /** A text as an expression, quotes included. */
  | { readonly kind: 'string'; readonly path: DataPath }
  /** A list of texts, or one field of each object in it. */
  | { readonly kind: 'list'; readonly path: DataPath; readonly field: string | undefined }
  /** A map made of two fields of each object in a list. */
  | { readonly kind: 'map'; readonly path: DataPath; readonly key: string; readonly value: string }
  | {
      readonly kind: 'if' | 'each';
      readonly path: DataPath;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    };

/** A checked template: it renders for all data of the offered shape, as far as HCL can hold the texts. */
export interface ExtraTemplate {
  readonly nodes: readonly TemplateNode[];
  /** Offered names that its result depends on. */
  readonly reads: ReadonlySet<OfferedName>;
}

const EXPECTED =
  'a Handlebars template of HCL, with {{name}} in quoted strings, {{string x}}, {{list xs}}, {{map xs "key" "value"}}, ' +
  '{{#if}} and {{#each}}';

/** Templates parsed before. They come from the few Inputs of a cluster and are checked on every call. */
const PARSED = new Map<string, ExtraTemplate>();
const MAX_PARSED = 64;

/**
 * Parses and checks a template.
 * @param path field that holds it, for the message
 * @throws FieldError
 */
export function parseExtraTemplate(text: string, path: string): ExtraTemplate {
  const parsed = PARSED.get(text) ?? new Reader(path).template(text);
  if (PARSED.size < MAX_PARSED) PARSED.set(text, parsed);
  return parsed;
}

/** Blocks within each other; reading them takes stack. */
const MAX_DEPTH = 20;

/** What `this` is, innermost first. */
type Scopes = readonly [Shape, ...Shape[]];

class Reader {
  private readonly path: string;
  private readonly reads = new Set<OfferedName>();
  private place: Place = START;
  private depth = 0;

  constructor(path: string) {
    this.path = path;
  }

  template(text: string): ExtraTemplate {
    const program = parseProgram(text, this.path, EXPECTED);
    const nodes = this.statements(program, [OFFERED]);
    this.advance('\n', 'the end');
    if (!samePlace(this.place, START))
      this.refuse('text that closes every bracket, string and comment', `${quoteShort(this.place.open)} still open`);
    return { nodes, reads: this.reads };
  }

  private statements(program: hbs.AST.Program | undefined, scopes: Scopes): readonly TemplateNode[] {
    return (program?.body ?? []).flatMap(statement => this.statement(statement, scopes));
  }

  private statement(statement: hbs.AST.Statement, scopes: Scopes): TemplateNode[] {
    if (statement.type === 'CommentStatement') return [];
    if (isNode<hbs.AST.ContentStatement>(statement, 'ContentStatement')) return [this.text(statement)];
    if (isNode<hbs.AST.MustacheStatement>(statement, 'MustacheStatement')) return [this.mustache(statement, scopes)];
    if (isNode<hbs.AST.BlockStatement>(statement, 'BlockStatement')) return [this.block(statement, scopes)];
    return this.refuse(EXPECTED, describeStrangers(statement, []).join(' and '), statement);
  }

  private text(statement: hbs.AST.ContentStatement): TemplateNode {
    const text = statement.value;
    // So a reviewer sees what OpenTofu reads: no look-alikes, no text that runs the other way, no other line ends.
    const strange = /[^\t\n -~]/u.exec(text)?.[0];
    if (strange !== undefined)
      this.refuse('printable ASCII, tabs and line feeds (in strings, "\\u00e9")', quoteCodePoint(strange), statement);
    this.advance(text, quoteShort(text), statement);
    return { kind: 'text', text };
  }

  private mustache(statement: hbs.AST.MustacheStatement, scopes: Scopes): TemplateNode {
    // The types leave out `escaped`, which says how many braces there were.
    if ((statement as { readonly escaped?: unknown }).escaped !== true)
      this.refuse('values between two braces, so that they are escaped', 'three braces or an ampersand', statement);
    const { params, path } = statement;
    if (hasHash(statement)) this.refuse(EXPECTED, describeStrangers(statement, []).join(' and '), statement);
    if (params.length > 0) return this.helper(statement, scopes);
    const value = this.resolve(path, scopes);
    this.demand('text', value.shape, path);
    this.stand('string', path, 'use {{string x}} for an expression');
    return { kind: 'value', path: value.path };
  }

  private helper(statement: hbs.AST.MustacheStatement, scopes: Scopes): TemplateNode {
    const [first, ...rest] = statement.params;
    const name = isNode<hbs.AST.PathExpression>(statement.path, 'PathExpression') ? statement.path.original : '';
    const fields = rest.map(param => this.fieldName(param));
    const [field, second] = fields;
    if (first === undefined || fields.length > (HELPERS.get(name) ?? -1))
      return this.refuse(EXPECTED, describeStrangers(statement, []).join(' and '), statement);
    const { path, shape } = this.resolve(first, scopes);
    this.stand('code', first, 'within quotes use {{name}} without a helper');
    switch (name) {
      case 'string':
        this.demand('text', shape, first);
        return { kind: 'string', path };
      case 'list':
        this.demand('text', this.member(shape, field, first), first);
        return { kind: 'list', path, field };
      default:
        return { kind: 'map', path, ...this.mapFields(shape, [field, second], first) };
    }
  }

  private mapFields(
    shape: Shape,
    [key, value]: readonly (string | undefined)[],
    at: hbs.AST.Node,
  ): { readonly key: string; readonly value: string } {
    if (key === undefined || value === undefined)
      return this.refuse('{{map xs "key" "value"}}, with the names of two fields', 'fewer', at);
    this.demand('text', this.member(shape, key, at), at);
    const found = this.member(shape, value, at);
    this.demand('text', found.kind === 'list' ? found.item : found, at);
    return { key, value };
  }

  /** What the members of a list are, or one field of each. */
  private member(shape: Shape, field: string | undefined, at: hbs.AST.Node): Shape {
    if (shape.kind !== 'list') return this.refuse('a list', describeOriginal(at), at);
    return field === undefined ? shape.item : this.field(shape.item, field, at);
  }

  private fieldName(param: hbs.AST.Expression): string {
    return isNode<hbs.AST.StringLiteral>(param, 'StringLiteral')
      ? param.value
      : this.refuse('the name of a field in quotes', describeOriginal(param), param);
  }

  private block(statement: hbs.AST.BlockStatement, scopes: Scopes): TemplateNode {
    const kind = statement.path.original;
    const [condition, ...more] = statement.params;
    if ((kind !== 'if' && kind !== 'each') || condition === undefined || more.length > 0 || hasHash(statement))
      return this.refuse(EXPECTED, describeStrangers(statement, []).join(' and '), statement);
    const { path, shape } = this.resolve(condition, scopes);
    if (kind === 'if') return { kind, path, ...this.branches(statement, scopes, scopes) };
    if (shape.kind !== 'list') return this.refuse('a list', describeOriginal(condition), condition);
    return { kind, path, ...this.branches(statement, [shape.item, ...scopes], scopes) };
  }

  /** Whichever way a block goes, and however often, what stands behind it must mean the same. */
  private branches(
    statement: hbs.AST.BlockStatement,
    inner: Scopes,
    outer: Scopes,
  ): { readonly body: readonly TemplateNode[]; readonly otherwise: readonly TemplateNode[] } {
    // The types leave out that either may be missing.
    const [program, inverse] = [statement.program, statement.inverse] as (hbs.AST.Program | undefined)[];
    if ([program, inverse].some(one => (one?.blockParams ?? []).length > 0))
      this.refuse('a block without "as |name|"', 'a block parameter', statement);
    if (this.depth === MAX_DEPTH) this.refuse(`at most ${MAX_DEPTH} blocks within each other`, 'one more', statement);
    this.depth += 1;
    const before = this.place;
    const body = this.statements(program, inner);
    const after = this.place;
    this.place = before;
    const otherwise = this.statements(inverse, outer);
    this.depth -= 1;
    const repeats = inner !== outer;
    if (!samePlace(this.place, after) || (repeats && !samePlace(before, after)))
      this.refuse(
        'branches that open and close the same brackets and quotes',
        'a block whose branches end in different places',
        statement,
      );
    return { body, otherwise };
  }

  private resolve(expression: hbs.AST.Node, scopes: Scopes): { readonly path: DataPath; readonly shape: Shape } {
    if (!isNode<hbs.AST.PathExpression>(expression, 'PathExpression') || expression.data)
      return this.refuse(EXPECTED, describeOriginal(expression), expression);
    const { depth: up, parts: fields } = expression;
    let shape = scopes[up];
    if (shape === undefined) return this.refuse('a name within the template', describeOriginal(expression), expression);
    const [root] = fields;
    if (up === scopes.length - 1 && isOffered(root)) this.reads.add(root);
    for (const field of fields) shape = this.field(shape, field, expression);
    return { path: { up, fields }, shape };
  }

  private field(shape: Shape, name: string, at: hbs.AST.Node): Shape {
    const fields = shape.kind === 'object' ? shape.fields : {};
    const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const names = Object.keys(fields);
    return (
      found ??
      this.refuse(
        names.length === 0 ? 'a value without fields' : `one of the names ${names.join(', ')}`,
        quoteShort(name),
        at,
      )
    );
  }

  private demand(kind: Shape['kind'], shape: Shape, at: hbs.AST.Node): void {
    if (shape.kind !== kind) this.refuse(`a ${kind}`, `${describeOriginal(at)}, a ${shape.kind}`, at);
  }

  private stand(kind: PlaceKind, at: hbs.AST.Node, instead: string): void {
    const found = placeKind(this.place);
    if (found === kind) return;
    const where = { code: 'outside of quotes', string: 'within quotes', comment: 'in a comment' } as const;
    const words = found === 'half' ? `right behind ${quoteShort(this.place.half)}` : where[found];
    const expected = kind === 'string' ? 'values within quotes' : 'helpers outside of quotes';
    this.refuse(`${expected} (${instead})`, `${describeOriginal(at)} ${words}`, at);
  }

  private advance(text: string, words: string, at?: hbs.AST.Node): void {
    try {
      this.place = advance(this.place, text);
    } catch (error) {
      if (!isHclError(error)) throw error;
      const [expected = '', got = words] = error.reason.slice('expected '.length).split(', got ');
      this.refuse(expected, got, at);
    }
  }

  private refuse(expected: string, words: string, at?: hbs.AST.Node): never {
    const line = at?.loc.start.line;
    throw new FieldError(this.path, expected, { words: line === undefined ? words : `${words} (line ${line})` });
  }
}

/** How many field names a helper takes at most. */
const HELPERS: ReadonlyMap<string, number> = new Map([
  ['string', 0],
  ['list', 1],
  ['map', 2],
]);

function hasHash({ hash }: { readonly hash: hbs.AST.Hash }): boolean {
  // The parser leaves it out where there is none, whatever its type says.
  return (hash as hbs.AST.Hash | undefined) !== undefined;
}

function isOffered(name: string | undefined): name is OfferedName {
  return name !== undefined && Object.hasOwn(OFFERED.fields, name);
}

function quoteCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
