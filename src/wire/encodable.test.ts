import { describe, expect, it } from 'vitest';
import type { UnencodableError } from './encodable.ts';
import { isUnencodableError, refuseUnencodable } from './encodable.ts';

const catchError = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
};

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

describe('refuseUnencodable', () => {
  it('takes what JSON has, objects without a prototype, and any name', () => {
    const value = { b: [{ z: 1, a: null }, 'x'], a: { d: true, c: -0.5 }, constructor: 'a' };
    expect(() => {
      refuseUnencodable(value, 'o');
      refuseUnencodable(Object.assign(Object.create(null) as object, { a: 1 }), 'o');
      refuseUnencodable(JSON.parse('{"__proto__": "2"}') as object, 'o');
    }).not.toThrow();
  });

  it.each<{ name: string; value: object; path: string; reason: string }>([
    { name: 'undefined in a map', value: { a: { b: undefined } }, path: 'o.a.b', reason: 'it would vanish' },
    { name: 'undefined in a list', value: [1, undefined], path: 'o[1]', reason: 'it would become null' },

    { name: 'a hole in a list', value: [1, , 2], path: 'o[1]', reason: 'it would become null' },
    { name: 'NaN', value: { a: NaN }, path: 'o.a', reason: 'JSON has none' },
    { name: 'Infinity', value: [-Infinity], path: 'o[0]', reason: 'JSON has none' },
    { name: 'an unsafe integer', value: { a: 2 ** 53 }, path: 'o.a', reason: 'it may have been rounded' },
    { name: 'a bigint', value: { a: 1n }, path: 'o.a', reason: 'the codec throws, outside our try' },
    { name: 'a function', value: { a: () => 1 }, path: 'o.a', reason: 'the codec throws, outside our try' },
    { name: 'a symbol', value: { a: Symbol('s') }, path: 'o.a', reason: 'the codec throws, outside our try' },
    { name: 'a Date', value: { a: new Date(0) }, path: 'o.a', reason: 'it would become an empty map' },
    { name: 'a Map', value: { a: new Map([['k', 'v']]) }, path: 'o.a', reason: 'it would become an empty map' },
    { name: 'bytes', value: { a: Buffer.from('x') }, path: 'o.a', reason: 'they would become a map of numbers' },
    { name: 'half a surrogate pair', value: { a: 'x\ud800y' }, path: 'o.a', reason: 'UTF-8 has no such character' },
    {
      name: 'half a surrogate pair in a key',
      value: { '\udc00': 1 },
      path: 'o',
      reason: 'UTF-8 has no such character',
    },
    { name: 'a cycle', value: cycle, path: `o${'.self'.repeat(65)}`, reason: 'it has no end' },
  ])('refuses $name: $reason', ({ value, path }) => {
    const error = catchError(() => {
      refuseUnencodable(value, 'o');
    });
    expect(isUnencodableError(error)).toBe(true);
    expect((error as UnencodableError).path).toBe(path);
  });

  it('says where and what kind, never the value', () => {
    const error = catchError(() => {
      refuseUnencodable({ data: { key: 'S3CR3T\ud800' } }, 'desired.resources.secret');
    });
    expect((error as UnencodableError).message).toBe(
      'desired.resources.secret.data.key: expected a value that a protobuf Struct can carry, got text with half a surrogate pair',
    );
  });

  it('takes whole pairs, and the largest exact integers', () => {
    const value = { text: '😀', big: Number.MAX_SAFE_INTEGER, small: Number.MIN_SAFE_INTEGER };
    expect(() => {
      refuseUnencodable(value, 'o');
    }).not.toThrow();
  });
});
