/**
 * Room b2: what a Backblaze B2 account says by its native API, read and never written.
 * In: answers of the API. Out: what a key may do, which buckets there are, whether one holds files.
 * May import: errors, kube. Must never: put a key, a token or a text of the API's into an error.
 */
import { FieldError } from '../errors.ts';
import { isRecord, readPath } from '../kube.ts';

/** What `b2_authorize_account` says of a key. */
export interface Authorization {
  readonly accountId: string;
  /** A secret, good for a day. */
  readonly token: string;
  /** Where all other calls go. */
  readonly apiUrl: string;
  readonly capabilities: ReadonlySet<string>;
  /** Ids of the buckets that the key is restricted to; undefined where it reaches all. */
  readonly restrictedTo: ReadonlySet<string> | undefined;
}

export interface AccountBucket {
  readonly name: string;
  readonly id: string;
}

/** 24 hexadecimal digits: what an import needs, and what spec.adoptBuckets takes. */
const BUCKET_ID = /^[0-9a-f]{24}$/;
/** A header's value. */
const TOKEN = /^[!-~]{1,4096}$/;

/**
 * Version 4 of the answer: earlier ones have no place for keys of several buckets, and refuse them.
 * @throws FieldError that never shows the token
 */
export function parseAuthorization(value: unknown): Authorization {
  const storage = (...steps: string[]): unknown => readPath(value, 'apiInfo', 'storageApi', ...steps);
  const token = readPath(value, 'authorizationToken');
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new FieldError('authorizationToken', 'a token', { words: 'something else' });
  const capabilities = storage('allowed', 'capabilities');
  if (!isListOfStrings(capabilities))
    throw new FieldError('apiInfo.storageApi.allowed.capabilities', 'a list of strings', { value: capabilities });
  return {
    token,
    accountId: readText(readPath(value, 'accountId'), 'accountId'),
    apiUrl: readText(storage('apiUrl'), 'apiInfo.storageApi.apiUrl'),
    capabilities: new Set(capabilities),
    restrictedTo: readRestriction(storage('allowed', 'buckets')),
  };
}

/** No list: the key reaches every bucket. An empty one reaches none. */
function readRestriction(buckets: unknown): ReadonlySet<string> | undefined {
  if (buckets === undefined || buckets === null) return undefined;
  const path = 'apiInfo.storageApi.allowed.buckets';
  return new Set(
    readList(buckets, path).map((bucket, index) => readText(readPath(bucket, 'id'), `${path}[${index}].id`)),
  );
}

/**
 * The answer of `b2_list_buckets`, which is never cut into pages.
 * @throws FieldError where a name or an id is not what B2 documents: an import would take the wrong bucket
 */
export function parseBucketList(value: unknown): readonly AccountBucket[] {
  return readList(readPath(value, 'buckets'), 'buckets').map((bucket, index) => {
    const id = readPath(bucket, 'bucketId');
    if (typeof id !== 'string' || !BUCKET_ID.test(id))
      throw new FieldError(`buckets[${index}].bucketId`, '24 hexadecimal digits', { value: id });
    return { id, name: readText(readPath(bucket, 'bucketName'), `buckets[${index}].bucketName`) };
  });
}

/** Whether an answer of `b2_list_file_versions` names any: hidden versions and unfinished uploads count. */
export function parseHoldsFiles(value: unknown): boolean {
  return readList(readPath(value, 'files'), 'files').length > 0;
}

function readList(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new FieldError(path, 'a list', { value });
  return value as readonly unknown[];
}

function readText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new FieldError(path, 'a non-empty string', { value });
  return value;
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(entry => typeof entry === 'string');
}

/** The error code of a refused call, as B2 names it: `bad_auth_token`. Its message is not read: it may hold anything. */
export function readErrorCode(value: unknown): string {
  const code = isRecord(value) ? readPath(value, 'code') : undefined;
  return typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : 'no code';
}
