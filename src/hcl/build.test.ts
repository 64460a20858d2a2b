import { describe, expectTypeOf, it } from 'vitest';
import type { Expression } from './ast.ts';
import { attribute, index, list, number, object, reference, string, toset } from './build.ts';

describe('expressions', () => {
  it('carry their HCL type', () => {
    expectTypeOf(string('a')).toExtend<Expression<string>>();
    expectTypeOf(number(1)).not.toExtend<Expression<string>>();
    expectTypeOf(list([string('a')])).toExtend<Expression<readonly string[]>>();
    expectTypeOf(object({ a: number(1) })).toExtend<Expression<{ readonly a: number }>>();
    expectTypeOf(toset(list([string('a')]))).toExtend<Expression<ReadonlySet<string>>>();
    const buckets = reference<ReadonlyMap<string, { readonly id: string; readonly size: number }>>('b2_bucket', 'x');
    expectTypeOf(attribute(index(buckets, 'a'), 'size')).toExtend<Expression<number>>();
  });

  it('refuse what HCL would refuse', () => {
    const buckets = reference<ReadonlyMap<string, { readonly id: string }>>('b2_bucket', 'x');
    // @ts-expect-error a list does not mix types
    list([string('a'), number(1)]);
    // @ts-expect-error no such attribute
    attribute(index(buckets, 'a'), 'nope');
    // @ts-expect-error an index by number into a map
    index(buckets, number(1));
    // @ts-expect-error a node made by hand has no type to trust
    toset({ kind: 'list', layout: 'inline', items: [] });
  });
});
