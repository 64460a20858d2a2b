/** Small constructors for every node: the only place that may say which HCL type an expression has. */
import type {
  AttributeNode,
  BlockNode,
  Body,
  BodyItem,
  CommentNode,
  CommentedNode,
  Expression,
  ExpressionNode,
  ForIterator,
  Layout,
  Reference,
  ReferenceNode,
  ReferenceStep,
} from './ast.ts';

function typed<T>(node: ExpressionNode): Expression<T> {
  return node as Expression<T>;
}

function typedReference<T>(node: ReferenceNode): Reference<T> {
  return node as Reference<T>;
}

export function string(value: string): Expression<string> {
  return typed({ kind: 'string', value });
}

/** @param value a safe integer; anything else is refused when printed */
export function number(value: number): Expression<number> {
  return typed({ kind: 'number', value });
}

export function bool(value: boolean): Expression<boolean> {
  return typed({ kind: 'bool', value });
}

export function nothing(): Expression<null> {
  return typed({ kind: 'null' });
}

export function list<T>(items: readonly Expression<T>[], layout: Layout = 'inline'): Expression<readonly T[]> {
  return typed({ kind: 'list', layout, items });
}

/** A list of texts. */
export function strings(values: readonly string[], layout: Layout = 'inline'): Expression<readonly string[]> {
  return list(values.map(string), layout);
}

/** A map from data: quoted keys, one line per entry, in the given order. */
export function map<T>(entries: Iterable<readonly [string, Expression<T>]>): Expression<ReadonlyMap<string, T>> {
  return typed({
    kind: 'object',
    keys: 'quoted',
    layout: 'lines',
    entries: Array.from(entries, ([key, value]) => ({ key, value })),
  });
}

/** An object whose attribute names are ours. */
export function object<T extends Readonly<Record<string, Expression>>>(
  attributes: T,
  layout: Layout = 'inline',
): Expression<{ readonly [K in keyof T]: T[K] extends Expression<infer V> ? V : never }> {
  return typed({
    kind: 'object',
    keys: 'bare',
    layout,
    entries: Object.entries(attributes).map(([key, value]) => ({ key, value })),
  });
}

/**
 * A name that HCL resolves, e.g. `reference<string>('each', 'key')`. The type is the caller's claim;
 * further steps through {@link attribute} and {@link index} follow from it.
 */
export function reference<T>(root: string, ...names: readonly string[]): Reference<T> {
  return typedReference({ kind: 'reference', root, steps: names.map(name => ({ kind: 'attribute', name })) });
}

/** `of.name` */
export function attribute<T, K extends keyof T & string>(of: Reference<T>, name: K): Reference<T[K]> {
  return extend(of, { kind: 'attribute', name });
}

/** `of[key]`, with a literal key or one that is computed, such as `each.key`. */
export function index<T>(of: Reference<ReadonlyMap<string, T>>, key: string | Expression<string>): Reference<T> {
  return extend(of, typeof key === 'string' ? { kind: 'index', key } : { kind: 'index-by', key });
}

function extend<T>(of: Reference, step: ReferenceStep): Reference<T> {
  return typedReference({ kind: 'reference', root: of.root, steps: [...of.steps, step] });
}

/** A reference from steps that are data, such as a resource address that a user gave. */
export function referenceFromSteps<T>(root: string, steps: readonly ReferenceStep[]): Reference<T> {
  return typedReference({ kind: 'reference', root, steps });
}

/** What a `for` expression may run over: the values of a map, list or set. */
export type Collection<T> = Expression<ReadonlyMap<string, T>> | Expression<readonly T[]> | Expression<ReadonlySet<T>>;

/**
 * `{ for <name> in <collection> : <key> => <value> }`
 * @param name the loop's variable
 */
export function forValues<T, V>(
  name: string,
  collection: Collection<T>,
  entry: (value: Reference<T>) => { readonly key: Expression<string>; readonly value: Expression<V> },
): Expression<ReadonlyMap<string, V>> {
  return forObject({ key: undefined, value: name, collection }, entry(reference<T>(name)));
}

/**
 * `{ for <key>, <value> in <collection> : <key> => <value> }`
 * @param names the loop's variables: key, value
 */
export function forEntries<T, V>(
  names: readonly [string, string],
  collection: Expression<ReadonlyMap<string, T>>,
  entry: (
    key: Reference<string>,
    value: Reference<T>,
  ) => { readonly key: Expression<string>; readonly value: Expression<V> },
): Expression<ReadonlyMap<string, V>> {
  const [key, value] = names;
  return forObject({ key, value, collection }, entry(reference<string>(key), reference<T>(value)));
}

function forObject<V>(
  iterator: ForIterator,
  entry: { readonly key: Expression<string>; readonly value: Expression<V> },
): Expression<ReadonlyMap<string, V>> {
  return typed({ kind: 'for-object', iterator, key: entry.key, value: entry.value });
}

/** `[for <name> in <collection> : <item>]` */
export function forItems<T, V>(
  name: string,
  collection: Collection<T>,
  item: (value: Reference<T>) => Expression<V>,
): Expression<readonly V[]> {
  const iterator: ForIterator = { key: undefined, value: name, collection };
  return typed({ kind: 'for-list', iterator, item: item(reference<T>(name)) });
}

/** `toset(list)`: for_each takes sets and maps, not lists. */
export function toset<T>(of: Expression<readonly T[]>): Expression<ReadonlySet<T>> {
  return typed({ kind: 'call', name: 'toset', args: [of] });
}

export function body(items: readonly BodyItem[]): Body {
  return { kind: 'body', items };
}

export function attr(name: string, value: Expression): AttributeNode {
  return { kind: 'attribute', name, value };
}

export function block(type: string, labels: readonly string[], items: readonly BodyItem[]): BlockNode {
  return { kind: 'block', type, labels, body: body(items) };
}

/** A comment on the item that follows. */
export function comment(text: string): CommentNode {
  return { kind: 'comment', text, standsAlone: false };
}

/** A comment on the file as a whole, or on nothing in particular. */
export function loneComment(text: string): CommentNode {
  return { kind: 'comment', text, standsAlone: true };
}

/** Items printed as comments. */
export function commented(items: readonly BodyItem[]): CommentedNode {
  return { kind: 'commented', body: body(items) };
}
