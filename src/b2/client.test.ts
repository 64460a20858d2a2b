import { afterEach, describe, expect, it } from 'vitest';
import {
  KEY,
  KEY_ID,
  refuse,
  reply,
  startB2,
  TOKEN,
  type B2Behaviour,
  type B2StandIn,
} from '../../test/fixtures/b2-stand-in.ts';
import { B2Account, B2Error, type B2Access } from './client.ts';

const BUCKET_ID = '4a48fe8875c6214145260818';
const ALL = ['listBuckets', 'listFiles'];

let b2: B2StandIn | undefined;
afterEach(async () => {
  await b2?.close();
  b2 = undefined;
});

async function authorize(behaviour: B2Behaviour, access: Partial<B2Access> = {}): Promise<B2Account> {
  b2 = await startB2(behaviour);
  return B2Account.authorize({ endpoint: b2.url, keyId: KEY_ID, key: KEY, timeoutSeconds: 20, ...access });
}

async function messageOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof B2Error)) throw new Error('expected a B2Error', { cause: error });
  return error.message;
}

describe('B2Account', () => {
  it('asks with the key once, then with the token', async () => {
    const account = await authorize({
      capabilities: ALL,
      buckets: [{ bucketName: 'demo-files', bucketId: BUCKET_ID }],
      full: [BUCKET_ID],
    });
    expect(await account.listBuckets()).toEqual([{ name: 'demo-files', id: BUCKET_ID }]);
    expect(await account.holdsFiles(BUCKET_ID)).toBe(true);
    expect(await account.holdsFiles('a'.repeat(24))).toBe(false);
    expect(b2?.calls).toEqual([
      'GET b2_authorize_account',
      'POST b2_list_buckets',
      'GET b2_list_file_versions',
      'GET b2_list_file_versions',
    ]);
  });

  it('does not ask what the key may not, and says what it lacks', async () => {
    const account = await authorize({ capabilities: [] });
    expect(await messageOf(account.listBuckets())).toBe('the key lacks the capability listBuckets');
    expect(await messageOf(account.holdsFiles(BUCKET_ID))).toBe('the key lacks the capability listFiles');
    expect(b2?.calls).toEqual(['GET b2_authorize_account']);
  });

  it('a key of some buckets lists no account: the list would lack the others', async () => {
    const account = await authorize({ capabilities: ALL, restrictedTo: [{ id: BUCKET_ID, name: 'demo-files' }] });
    expect(await messageOf(account.listBuckets())).toMatch(/restricted to some buckets/);
  });

  it('the wrong key', async () => {
    expect(await messageOf(authorize({}, { key: 'another' }))).toMatch(
      /^b2_authorize_account at 127\.0\.0\.1:\d+: 401 bad_auth_token: B2 does not accept this key/,
    );
  });

  it.each(['http://b2.example.org', 'ftp://127.0.0.1', 'api.backblazeb2.com'])('sends no key to %s', async endpoint => {
    expect(await messageOf(authorize({}, { endpoint }))).toMatch(
      /expected (?:https, so that nobody|the URL of a B2 API)/,
    );
    expect(b2?.calls).toEqual([]);
  });

  const failures: {
    name: string;
    instead: NonNullable<B2Behaviour['instead']>[string];
    timeoutSeconds?: number;
    says: RegExp;
  }[] = [
    { name: '401', instead: fail(401, 'unauthorized'), says: /: 401 unauthorized: B2 does not accept this key/ },
    { name: '403', instead: fail(403, 'cap_exceeded'), says: /: 403 cap_exceeded: B2 refuses: a cap/ },
    { name: '503', instead: fail(503, 'service_unavailable'), says: /: 503 service_unavailable: B2 is busy/ },
    {
      name: '500 that is no JSON',
      instead: response => {
        reply(response, 500, '<html>');
      },
      says: /: 500 no code: B2 did not do it/,
    },
    {
      name: 'no JSON',
      instead: response => {
        reply(response, 200, `<html>${TOKEN}`);
      },
      says: /expected JSON, got something else/,
    },
    {
      name: 'another JSON',
      instead: response => {
        reply(response, 200, { authorizationToken: TOKEN });
      },
      says: /cannot read the answer: /,
    },
    {
      name: 'a redirect',
      instead: response => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' });
        response.end();
      },
      says: /: 302 no code: it leads elsewhere, and a key is not sent there/,
    },
    { name: 'no answer', instead: () => undefined, timeoutSeconds: 3, says: /no answer within 3 seconds/ },
    {
      name: 'a closed connection',
      instead: response => {
        response.destroy();
      },
      says: /no connection \([A-Z_]+\)/,
    },
  ];
  it.each(failures)(
    '$name, to the key and to the token: an error without a secret',
    async ({ instead, timeoutSeconds = 20, says }) => {
      const first = await messageOf(authorize({ instead: { b2_authorize_account: instead } }, { timeoutSeconds }));
      await b2?.close();
      const account = await authorize({ capabilities: ALL, instead: { b2_list_buckets: instead } }, { timeoutSeconds });
      const second = await messageOf(account.listBuckets());
      for (const message of [first, second]) {
        expect(message).toMatch(says);
        expect(message).not.toMatch(/SECRET-MARKER|003aabb/);
      }
    },
  );

  it('an address of the API that is not https: the token stays here', async () => {
    const message = await messageOf(
      authorize({
        instead: {
          b2_authorize_account: response => {
            reply(response, 200, {
              accountId: 'a',
              authorizationToken: TOKEN,
              apiInfo: {
                storageApi: { apiUrl: 'http://b2.example.org', allowed: { capabilities: ALL, buckets: null } },
              },
            });
          },
        },
      }).then(account => account.listBuckets()),
    );
    expect(message).toBe('http://b2.example.org: expected https, so that nobody reads the key on the way');
  });
});

function fail(status: number, code: string): NonNullable<B2Behaviour['instead']>[string] {
  return response => {
    refuse(response, status, code);
  };
}
