/**
 * Room hcl: HCL as values, and the one place where HCL text is made.
 * In: nodes made by build.ts (print), text written by others (scan). Out: canonical text, a tree of blocks.
 * May import: nothing outside this room. Must never: know Crossplane, OpenTofu's block types, or hold a raw text node.
 */

/**
 * Carries the HCL type of an expression at compile time; nothing stands there at run time.
 *
 * HCL types are written as: string, number, boolean, null; `readonly T[]` for list(T);
 * `ReadonlySet<T>` for set(T); `ReadonlyMap<string, T>` for map(T); an object type for object({…}).
 */
declare const hclType: unique symbol;

/** An expression of HCL type T. Only build.ts makes them, so the type cannot be claimed by hand. */
export type Expression<T = unknown> = ExpressionNode & { readonly [hclType]: T };

/** A reference to something of HCL type T. */
export type Reference<T = unknown> = ReferenceNode & { readonly [hclType]: T };

export type ExpressionNode =
  | StringNode
  | NumberNode
  | BoolNode
  | NullNode
  | ListNode
  | ObjectNode
  | ReferenceNode
  | ForListNode
  | ForObjectNode
  | CallNode;

/** Text, never a template: `${` in it stays text. */
export interface StringNode {
  readonly kind: 'string';
  readonly value: string;
}

/** A safe integer; fractions and exponents have no use here and more than one spelling. */
export interface NumberNode {
  readonly kind: 'number';
  readonly value: number;
}

export interface BoolNode {
  readonly kind: 'bool';
  readonly value: boolean;
}

export interface NullNode {
  readonly kind: 'null';
}

/** `lines` puts each item on its own line, except inside something that is inline itself. */
export type Layout = 'inline' | 'lines';

export interface ListNode {
  readonly kind: 'list';
  readonly layout: Layout;
  readonly items: readonly Expression[];
}

export interface ObjectEntry {
  readonly key: string;
  readonly value: Expression;
}

/** An object or map constructor. `bare` keys are quoted all the same where HCL would misread them. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly keys: 'bare' | 'quoted';
  readonly layout: Layout;
  readonly entries: readonly ObjectEntry[];
}

export type ReferenceStep =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'index'; readonly key: string | number }
  | { readonly kind: 'index-by'; readonly key: Expression };

export interface ReferenceNode {
  readonly kind: 'reference';
  readonly root: string;
  readonly steps: readonly ReferenceStep[];
}

/** What a `for` runs over; `key` is undefined in the one-name form. */
export interface ForIterator {
  readonly key: string | undefined;
  readonly value: string;
  readonly collection: Expression;
}

export interface ForListNode {
  readonly kind: 'for-list';
  readonly iterator: ForIterator;
  readonly item: Expression;
}

export interface ForObjectNode {
  readonly kind: 'for-object';
  readonly iterator: ForIterator;
  readonly key: Expression;
  readonly value: Expression;
}

export interface CallNode {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface AttributeNode {
  readonly kind: 'attribute';
  readonly name: string;
  readonly value: Expression;
}

export interface BlockNode {
  readonly kind: 'block';
  readonly type: string;
  readonly labels: readonly string[];
  readonly body: Body;
}

/** Comment lines. One that does not stand alone belongs to the item after it. */
export interface CommentNode {
  readonly kind: 'comment';
  readonly text: string;
  readonly standsAlone: boolean;
}

/** A body printed as comments: an example that is spelled by the same printer as the real thing. */
export interface CommentedNode {
  readonly kind: 'commented';
  readonly body: Body;
}

export type BodyItem = AttributeNode | BlockNode | CommentNode | CommentedNode;

/** A file, or what stands between the braces of a block. */
export interface Body {
  readonly kind: 'body';
  readonly items: readonly BodyItem[];
}
