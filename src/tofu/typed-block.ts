/**
 * Resource, data and provider blocks whose content is checked against the provider's schema by the
 * compiler: an unknown argument, a missing one or one of another type is an error.
 */
import type { AttributeNode, BlockNode, BodyItem, Expression, Reference } from '../hcl/ast.ts';
import { attr, block, bool, list, reference } from '../hcl/build.ts';
import type { DataSources, DataSourceType, Providers, Resources, ResourceType } from './provider-schemas.ts';

/** HCL turns a list literal into a set where a set belongs; not the other way round. */
type Value<T> = [T] extends [ReadonlySet<infer E>]
  ? Expression<T> | Expression<readonly E[]>
  : [T] extends [boolean]
    ? Expression<boolean>
    : Expression<T>;

type Arguments<A> = { readonly [K in keyof A]: Value<Exclude<A[K], undefined>> };

type NestedBlock<B> = B extends readonly unknown[] ? { readonly [I in keyof B]: NestedBlock<B[I]> } : Content<B>;

type NestedBlocks<B> = { readonly [K in keyof B]: NestedBlock<Exclude<B[K], undefined>> };

type BlocksOf<S> = S extends { readonly blocks: infer B } ? B : object;
type ArgumentsOf<S> = S extends { readonly arguments: infer A } ? A : never;
type AttributesOf<S> = S extends { readonly attributes: infer A } ? A : never;

/** What stands in a block of schema S; `blocks` may be left out where no nested block is required. */
export type Content<S> = { readonly arguments: Arguments<ArgumentsOf<S>> } & (Partial<BlocksOf<S>> extends BlocksOf<S>
  ? { readonly blocks?: NestedBlocks<BlocksOf<S>> }
  : { readonly blocks: NestedBlocks<BlocksOf<S>> });

/** OpenTofu iterates maps and sets of strings, not lists. */
export type ForEach = Expression<ReadonlyMap<string, unknown>> | Expression<ReadonlySet<string>>;

/** Literals only: OpenTofu before 1.12 takes no expression here. */
export interface Lifecycle<S> {
  readonly preventDestroy?: boolean;
  readonly createBeforeDestroy?: boolean;
  readonly ignoreChanges?: readonly ((keyof ArgumentsOf<S> | keyof BlocksOf<S>) & string)[];
}

export interface Meta<S> {
  readonly forEach?: ForEach;
  readonly lifecycle?: Lifecycle<S>;
}

/** `resource "<type>" "<name>" { … }` */
export function resource<R extends ResourceType>(
  type: R,
  name: string,
  content: Content<Resources[R]> & Meta<Resources[R]>,
): BlockNode {
  const lifecycle = content.lifecycle === undefined ? [] : [lifecycleBlock(content.lifecycle)];
  return block('resource', [type, name], [...forEachItems(content.forEach), ...contentItems(content), ...lifecycle]);
}

/** `data "<type>" "<name>" { … }` */
export function dataSource<D extends DataSourceType>(
  type: D,
  name: string,
  content: Content<DataSources[D]> & { readonly forEach?: ForEach },
): BlockNode {
  return block('data', [type, name], [...forEachItems(content.forEach), ...contentItems(content)]);
}

/** `provider "<name>" { … }`. Credentials come from the environment, never from here. */
export function provider<P extends keyof Providers>(name: P, content: Content<Providers[P]>): BlockNode {
  return block('provider', [name], contentItems(content));
}

/** A resource with for_each: a map of its instances. */
export function instances<R extends ResourceType>(
  type: R,
  name: string,
): Reference<ReadonlyMap<string, AttributesOf<Resources[R]>>> {
  return reference(type, name);
}

/** A data source with for_each: a map of its instances. */
export function dataInstances<D extends DataSourceType>(
  type: D,
  name: string,
): Reference<ReadonlyMap<string, AttributesOf<DataSources[D]>>> {
  return reference('data', type, name);
}

/** In a block with for_each over a map of strings, or a set of strings. */
export const EACH_KEY: Reference<string> = reference('each', 'key');
export const EACH_VALUE: Reference<string> = reference('each', 'value');

function forEachItems(forEach: ForEach | undefined): readonly AttributeNode[] {
  return forEach === undefined ? [] : [attr('for_each', forEach)];
}

/** The shape of every {@link Content} once the compiler has checked it. */
interface AnyContent {
  readonly arguments: object;
  readonly blocks?: object;
}

function contentItems(content: AnyContent): readonly BodyItem[] {
  const args = Object.entries(content.arguments) as [string, Expression][];
  const blocks = Object.entries(content.blocks ?? {}) as [string, AnyContent | readonly AnyContent[]][];
  return [
    ...args.map(([name, value]) => attr(name, value)),
    ...blocks.flatMap(([name, nested]) => [nested].flat().map(one => block(name, [], contentItems(one)))),
  ];
}

function lifecycleBlock(lifecycle: {
  readonly preventDestroy?: boolean;
  readonly createBeforeDestroy?: boolean;
  readonly ignoreChanges?: readonly string[];
}): BlockNode {
  const { preventDestroy, createBeforeDestroy, ignoreChanges } = lifecycle;
  const items: BodyItem[] = [];
  if (preventDestroy !== undefined) items.push(attr('prevent_destroy', bool(preventDestroy)));
  if (createBeforeDestroy !== undefined) items.push(attr('create_before_destroy', bool(createBeforeDestroy)));
  if (ignoreChanges !== undefined)
    items.push(
      attr(
        'ignore_changes',
        list(
          ignoreChanges.map(name => reference(name)),
          'lines',
        ),
      ),
    );
  return block('lifecycle', [], items);
}
