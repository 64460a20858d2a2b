import { describe, expect, it } from 'vitest';
import { parseAuthorization, parseBucketList, parseHoldsFiles, readErrorCode } from './account.ts';

const TOKEN = '4_002acd2a08df7f8c0c4d21e9deef28c7';

function answer(allowed: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    accountId: 'abc123def456',
    authorizationToken: TOKEN,
    apiInfo: { storageApi: { apiUrl: 'https://api003.backblazeb2.com', allowed } },
    ...more,
  };
}

describe('parseAuthorization', () => {
  it('reads version 4', () => {
    expect(parseAuthorization(answer({ capabilities: ['listBuckets'], buckets: null, namePrefix: null }))).toEqual({
      accountId: 'abc123def456',
      token: TOKEN,
      apiUrl: 'https://api003.backblazeb2.com',
      capabilities: new Set(['listBuckets']),
      restrictedTo: undefined,
    });
  });

  it('a key of some buckets, and one of none', () => {
    const restrictedTo = (buckets: unknown): unknown =>
      parseAuthorization(answer({ capabilities: [], buckets })).restrictedTo;
    expect(
      restrictedTo([
        { id: 'one', name: 'a' },
        { id: 'two', name: null },
      ]),
    ).toEqual(new Set(['one', 'two']));
    expect(restrictedTo([])).toEqual(new Set());
  });

  it.each([
    {
      name: 'version 3, where capabilities stand elsewhere',
      value: answer(undefined),
      says: /allowed.capabilities: expected a list of strings/,
    },
    {
      name: 'a restriction that is none',
      value: answer({ capabilities: [], buckets: 'all' }),
      says: /allowed.buckets: expected a list/,
    },
    {
      name: 'a token that is no header',
      value: answer({ capabilities: [] }, { authorizationToken: `${TOKEN}\r\nx: y` }),
      says: /authorizationToken: expected a token, got something else/,
    },
    { name: 'nothing', value: undefined, says: /authorizationToken/ },
  ])('refuses $name, and does not show the token', ({ value, says }) => {
    expect(() => parseAuthorization(value)).toThrow(says);
    expect(() => parseAuthorization(value)).not.toThrow(TOKEN);
  });
});

describe('parseBucketList', () => {
  it('reads name and id', () => {
    const buckets = [
      { accountId: 'a', bucketId: '4a48fe8875c6214145260818', bucketName: 'demo-files', bucketType: 'allPrivate' },
    ];
    expect(parseBucketList({ buckets })).toEqual([{ id: '4a48fe8875c6214145260818', name: 'demo-files' }]);
  });

  it.each([
    [{}, /buckets: expected a list, got nothing/],
    [{ buckets: [{ bucketId: 'short', bucketName: 'a' }] }, /buckets\[0\].bucketId: expected 24 hexadecimal digits/],
    [{ buckets: [{ bucketId: '4a48fe8875c6214145260818' }] }, /buckets\[0\].bucketName: expected a non-empty string/],
  ])('refuses %j', (value, says) => {
    expect(() => parseBucketList(value)).toThrow(says);
  });
});

describe('parseHoldsFiles', () => {
  it('any version counts, a hidden one and an unfinished upload too', () => {
    expect(parseHoldsFiles({ files: [{ action: 'hide' }] })).toBe(true);
    expect(parseHoldsFiles({ files: [] })).toBe(false);
    expect(() => parseHoldsFiles({})).toThrow(/files: expected a list/);
  });
});

describe('readErrorCode', () => {
  it('the code and nothing else', () => {
    expect(readErrorCode({ code: 'bad_auth_token', message: TOKEN })).toBe('bad_auth_token');
    expect(readErrorCode({ code: `bad ${TOKEN}` })).toBe('no code');
    expect(readErrorCode('text')).toBe('no code');
  });
});
