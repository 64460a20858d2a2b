import { describe, expect, it } from 'vitest';
import { BUCKET_NAME, checkBucketName } from './bucket-name.ts';

describe('checkBucketName', () => {
  it.each([
    { name: 'abcdef', reason: 'six characters are enough', ok: true },
    { name: 'Abcdef-9', reason: 'either case', ok: true },
    { name: 'b2abcd', reason: 'b2 without hyphen is free', ok: true },
    { name: 'bbbbbb', reason: 'a b that is no b2', ok: true },
    { name: '-bucket-', reason: 'B2 does not mind hyphens at the ends', ok: true },
    { name: 'a'.repeat(63), reason: '63 characters are allowed', ok: true },
    { name: 'a'.repeat(64), reason: '64 are not', ok: false },
    { name: 'abcde', reason: 'five characters are too few', ok: false },
    { name: 'b2-abcdef', reason: 'reserved', ok: false },
    { name: 'B2-abcdef', reason: 'reserved in any case', ok: false },
    { name: 'my_bucket', reason: 'no underscore', ok: false },
    { name: 'my.bucket', reason: 'no dot', ok: false },
    { name: 'bücket-a', reason: 'no letter beyond ASCII', ok: false },
    { name: 'bucket\n', reason: 'no line end', ok: false },
    { name: '', reason: 'empty', ok: false },
  ])('$name: $reason', ({ name, ok }) => {
    expect(checkBucketName(name)).toBe(ok ? undefined : BUCKET_NAME.expected);
  });

  it('is the plain rule, for every short name over the dangerous alphabet', () => {
    const alphabet = ['a', 'b', 'B', '2', '-'];
    let names = [''];
    for (let length = 1; length <= 6; length++) names = names.flatMap(name => alphabet.map(letter => name + letter));
    const wrong = names.filter(name => (checkBucketName(name) === undefined) === name.toLowerCase().startsWith('b2-'));
    expect(wrong).toEqual([]);
  });
});
