/**
 * Handlebars templates that users write in the Input, e.g. `{{bucket}}-b2`.
 *
 * The language is narrowed to text and offered names. Handlebars' strict mode is no guard: it lets
 * unknown names through in `#if`, `#each`, `#with` and `lookup`. So names are checked on the parsed
 * template, and rendering walks that tree instead of letting Handlebars generate and run code.
 * There is no HTML escaping and no way to reach a property of anything.
 */
import Handlebars from 'handlebars';
import { describeValue, FieldError, quoteShort } from './errors.ts';

type Part<Name extends string> =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'name'; readonly name: Name };

/** A checked template: it renders for every set of values that has the offered names. */
export interface Template<Name extends string = string> {
  readonly parts: readonly Part<Name>[];
}

/** Templates parsed before. They come from the few Inputs of a cluster and are checked on every call. */
const PARSED = new Map<string, Template>();
const MAX_PARSED = 64;

/**
 * Parses a template and checks it against the names that will have a value.
 * @param path field that holds the template, for the message
 * @throws FieldError that names the field and every name, helper or other construct that is not offered
 */
export function parseTemplate<const Name extends string>(
  text: string,
  offered: readonly Name[],
  path: string,
): Template<Name> {
  const known = [...offered, text].join('\n');
  const parsed = PARSED.get(known) ?? checkTemplate(text, offered, path);
  if (PARSED.size < MAX_PARSED) PARSED.set(known, parsed);
  return parsed as Template<Name>;
}

function checkTemplate<const Name extends string>(
  text: string,
  offered: readonly Name[],
  path: string,
): Template<Name> {
  const expected = `a Handlebars template of text and the names ${offered.join(', ')}`;
  const program = parseProgram(text, path, expected);
  const parts: Part<Name>[] = [];
  const strangers: string[] = [];
  for (const statement of program.body) {
    if (statement.type === 'CommentStatement') continue;
    if (isNode<hbs.AST.ContentStatement>(statement, 'ContentStatement')) {
      parts.push({ kind: 'text', text: statement.value });
      continue;
    }
    const name = plainName(statement);
    const known = offered.find(candidate => candidate === name);
    if (known === undefined) strangers.push(...describeStrangers(statement, offered));
    else parts.push({ kind: 'name', name: known });
  }
  if (strangers.length > 0) throw new FieldError(path, expected, { words: [...new Set(strangers)].join(' and ') });
  return { parts };
}

/** Renders without any escaping: the reader of the result validates it. */
export function renderTemplate<Name extends string>(
  template: Template<Name>,
  values: Readonly<Record<NoInfer<Name>, string>>,
): string {
  return template.parts.map(part => (part.kind === 'text' ? part.text : values[part.name])).join('');
}

/** Whether the template's result depends on this name. */
export function mentions<Name extends string>(template: Template<Name>, name: NoInfer<Name>): boolean {
  return template.parts.some(part => part.kind === 'name' && part.name === name);
}

/**
 * Parses without compiling: what Handlebars would make of the tree never runs.
 * @throws FieldError
 */
export function parseProgram(text: string, path: string, expected: string): hbs.AST.Program {
  try {
    return Handlebars.parse(text);
  } catch (error) {
    // The parser's message has a drawing over several lines; the last one says what it wanted.
    const lines = error instanceof Error ? error.message.split('\n') : [];
    throw new FieldError(path, expected, { words: `${quoteShort(text)} (${lines.at(-1) ?? 'unreadable'})` });
  }
}

export function isNode<T extends hbs.AST.Node>(node: hbs.AST.Node, type: T['type'] & string): node is T {
  return node.type === type;
}

/** The name of `{{name}}`; undefined for everything that Handlebars could look up or call in another way. */
function plainName(statement: hbs.AST.Statement): string | undefined {
  if (!isNode<hbs.AST.MustacheStatement>(statement, 'MustacheStatement')) return undefined;
  const { path, params, hash } = statement;
  // The parser leaves `hash` out where there is none, whatever its type says.
  if (params.length > 0 || (hash as hbs.AST.Hash | undefined) !== undefined) return undefined;
  return isNode<hbs.AST.PathExpression>(path, 'PathExpression') ? simpleName(path) : undefined;
}

/** `this.name`, `./name`, `../name`, `@name` and `name.length` are paths, not names. */
function simpleName(path: hbs.AST.PathExpression): string | undefined {
  const [name] = path.parts;
  const plain = path.parts.length === 1 && !path.data && path.depth === 0 && path.original === name;
  return plain ? name : undefined;
}

/** Words for what is not offered in a statement: the helper or construct, then the unknown names within it. */
export function describeStrangers(statement: hbs.AST.Statement, offered: readonly string[]): string[] {
  switch (statement.type) {
    case 'MustacheStatement': {
      const { path, params, hash } = statement as hbs.AST.MustacheStatement;
      const called = params.length > 0 || (hash as hbs.AST.Hash | undefined) !== undefined;
      if (!called) return [describeExpression(path)];
      return [`the helper ${describeOriginal(path)}`, ...describeArguments(params, hash, offered)];
    }
    case 'BlockStatement': {
      const { path, params, hash } = statement as hbs.AST.BlockStatement;
      return [`the block helper ${describeOriginal(path)}`, ...describeArguments(params, hash, offered)];
    }
    case 'PartialStatement':
    case 'PartialBlockStatement':
      return [`the partial ${describeOriginal((statement as hbs.AST.PartialStatement).name)}`];
    default:
      return [`a ${statement.type}`];
  }
}

function describeArguments(
  params: readonly hbs.AST.Expression[],
  hash: hbs.AST.Hash | undefined,
  offered: readonly string[],
): string[] {
  const expressions = [...params, ...(hash?.pairs ?? []).map(pair => pair.value)];
  return expressions.flatMap(expression => {
    if (isNode<hbs.AST.SubExpression>(expression, 'SubExpression'))
      return [`the helper ${describeOriginal(expression.path)}`];
    if (!isNode<hbs.AST.PathExpression>(expression, 'PathExpression')) return [];
    const name = simpleName(expression);
    return name !== undefined && offered.includes(name) ? [] : [describeExpression(expression)];
  });
}

function describeExpression(expression: hbs.AST.Node): string {
  if (!isNode<hbs.AST.PathExpression>(expression, 'PathExpression'))
    return `the literal ${describeOriginal(expression)}`;
  return `the ${simpleName(expression) === undefined ? 'path' : 'name'} ${describeOriginal(expression)}`;
}

export function describeOriginal(node: hbs.AST.Node): string {
  const original: unknown = 'original' in node ? node.original : undefined;
  return typeof original === 'string' ? quoteShort(original) : describeValue(original);
}
