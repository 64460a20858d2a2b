import { isFieldError } from '../errors.ts';
import {
  parseAuthorization,
  parseBucketList,
  parseHoldsFiles,
  readErrorCode,
  type AccountBucket,
  type Authorization,
} from './account.ts';

/** Where B2 answers, and who asks. */
export interface B2Access {
  /** `https://api.backblazeb2.com`; anything without TLS only on this machine. */
  readonly endpoint: string;
  readonly keyId: string;
  readonly key: string;
  readonly timeoutSeconds: number;
}

/** A call that B2 refused or that did not come through. The message holds no secret and says what to do. */
export class B2Error extends Error {
  override readonly name = 'B2Error';
}

export const B2_ENDPOINT = 'https://api.backblazeb2.com';

const VERSION = '/b2api/v4';
/** An account has at most some hundred buckets, of about a thousand bytes each. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** A key that was accepted, and the calls that only read. */
export class B2Account {
  readonly authorization: Authorization;
  private readonly access: B2Access;

  private constructor(access: B2Access, authorization: Authorization) {
    this.access = access;
    this.authorization = authorization;
  }

  /** @throws B2Error */
  static async authorize(access: B2Access): Promise<B2Account> {
    const url = requireSafe(access.endpoint, `${VERSION}/b2_authorize_account`);
    const basic = Buffer.from(`${access.keyId}:${access.key}`).toString('base64');
    const call = { url, method: 'GET', authorization: `Basic ${basic}` } as const;
    const authorization = await read(call, access.timeoutSeconds, parseAuthorization);
    // The token must not go where the key would not have gone.
    if (new URL(access.endpoint).protocol === 'https:' && !/^https:\/\//i.test(authorization.apiUrl))
      throw new B2Error(`${url.host} names an address of the API that is not https: nothing was sent there`);
    return new B2Account(access, authorization);
  }

  /**
   * Every bucket of the account. POST, as B2 documents this call, and it only reads.
   * @throws B2Error
   */
  async listBuckets(): Promise<readonly AccountBucket[]> {
    this.require('listBuckets');
    if (this.authorization.restrictedTo !== undefined)
      throw new B2Error('the key is restricted to some buckets and may not list the account: use one that is not');
    const url = requireSafe(this.authorization.apiUrl, `${VERSION}/b2_list_buckets`);
    return this.read({ url, method: 'POST', body: { accountId: this.authorization.accountId } }, parseBucketList);
  }

  /**
   * Whether a bucket holds any file, hidden versions included.
   * @throws B2Error
   */
  async holdsFiles(bucketId: string): Promise<boolean> {
    this.require('listFiles');
    const url = requireSafe(this.authorization.apiUrl, `${VERSION}/b2_list_file_versions`);
    url.searchParams.set('bucketId', bucketId);
    url.searchParams.set('maxFileCount', '1');
    return this.read({ url, method: 'GET' }, parseHoldsFiles);
  }

  private require(capability: string): void {
    if (!this.authorization.capabilities.has(capability))
      throw new B2Error(`the key lacks the capability ${capability}`);
  }

  private read<T>(call: Omit<Call, 'authorization'>, parse: (value: unknown) => T): Promise<T> {
    return read({ ...call, authorization: this.authorization.token }, this.access.timeoutSeconds, parse);
  }
}

interface Call {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly authorization: string;
  readonly body?: Readonly<Record<string, string>>;
}

/** Without TLS anybody on the way could read the key. */
function requireSafe(base: string, path: string): URL {
  let url: URL;
  try {
    url = new URL(path, base);
  } catch {
    throw new B2Error(`expected the URL of a B2 API such as ${B2_ENDPOINT}`);
  }
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return url;
  throw new B2Error(`${url.protocol}//${url.host}: expected https, so that nobody reads the key on the way`);
}

async function read<T>(call: Call, timeoutSeconds: number, parse: (value: unknown) => T): Promise<T> {
  const name = `${call.url.pathname.split('/').at(-1) ?? ''} at ${call.url.host}`;
  const { status, text } = await send(call, timeoutSeconds, name);
  const value = parseJson(text);
  if (status !== 200) throw new B2Error(`${name}: ${status} ${readErrorCode(value)}: ${explain(status)}`);
  if (value === undefined) throw new B2Error(`${name}: expected JSON, got something else: is this B2's address?`);
  try {
    return parse(value);
  } catch (error) {
    if (!isFieldError(error)) throw error;
    throw new B2Error(`${name}: cannot read the answer: ${error.message}`);
  }
}

async function send(call: Call, timeoutSeconds: number, name: string): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(call.url, {
      method: call.method,
      headers: { authorization: call.authorization, accept: 'application/json' },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      // A key is sent to the address that was given, and to no other.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    return { status: answer.status, text: await readText(answer, name) };
  } catch (error) {
    if (error instanceof B2Error) throw error;
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new B2Error(`${name}: no answer within ${timeoutSeconds} seconds`);
    throw new B2Error(`${name}: no connection (${reasonOf(error)})`);
  }
}

async function readText(answer: Response, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_ANSWER) throw new B2Error(`${name}: the answer is larger than ${MAX_ANSWER} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A code of the system such as ECONNREFUSED: what a message says may hold more than should be shown. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the request failed';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain(status: number): string {
  if (status === 401)
    return 'B2 does not accept this key for this call; look at its id, its secret and its capabilities';
  if (status === 403) return 'B2 refuses: a cap of the account is reached, or access is denied';
  if (status === 429 || status === 503) return 'B2 is busy: try again later';
  if (status >= 300 && status < 400) return 'it leads elsewhere, and a key is not sent there';
  return 'B2 did not do it';
}
