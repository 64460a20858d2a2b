import { checkBucketName } from '../api/bucket-name.ts';
import { DocumentError, FieldError, isFieldError } from '../errors.ts';
import type { Schedule as ScheduleObject } from '../gen/kubernetes/schedule.ts';
import { isRecord, nameObject, readPath, type KubeObject } from '../kube.ts';

/** A key of a Secret, as a Schedule references it. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A Secret that a Schedule names anywhere in its spec. */
export interface SecretReference {
  readonly secret: string;
  /** Where, e.g. `spec.backend.repoPasswordSecretRef`. */
  readonly path: string;
  /** The bucket, as written, whose storage credentials the reference reads; undefined for any other use. */
  readonly credentialsOf: string | undefined;
}

/** A Backblaze B2 bucket that a Schedule backs up to. */
export interface B2Backend {
  readonly kind: 'b2';
  readonly bucket: string;
  /** Where the bucket is named, e.g. `spec.backend.s3`. */
  readonly path: string;
  /** The two references by which k8up reads the credentials; undefined where they are missing. */
  readonly credentials: { readonly id: SecretKey | undefined; readonly secret: SecretKey | undefined };
  /** Paths of those two references. */
  readonly credentialPaths: readonly [string, string];
}

/** A backend that is none of our business, and why. */
export interface OtherBackend {
  readonly kind: 'other';
  readonly why: string;
}

export interface Schedule {
  readonly name: string;
  readonly backend: B2Backend | OtherBackend;
  /** B2 buckets of jobs whose backend differs from the effective one: not composed, only told. */
  readonly furtherBuckets: readonly { readonly path: string; readonly bucket: string }[];
  readonly secretReferences: readonly SecretReference[];
}

/** Field names are held to k8up's CRD. */
type BackendFields = NonNullable<NonNullable<ScheduleObject['spec']>['backend']>;

/** spec.backend, else that of backup, then of the other jobs. */
const BACKEND_PATHS: readonly (readonly string[])[] = [
  ['spec', 'backend'],
  ...['backup', 'archive', 'check', 'prune', 'restore'].map(job => ['spec', job, 'backend']),
];

/** k8up takes the first that is set, in this order (api/v1/backend.go). */
const BACKEND_TYPES = [
  'azure',
  'b2',
  'gcs',
  'local',
  'rest',
  's3',
  'swift',
] as const satisfies readonly (keyof BackendFields)[];

const CREDENTIALS = {
  s3: ['accessKeyIDSecretRef', 'secretAccessKeySecretRef'],
  b2: ['accountIDSecretRef', 'accountKeySecretRef'],
} as const satisfies { [T in 's3' | 'b2']: readonly (keyof NonNullable<BackendFields[T]>)[] };

/**
 * Reads a labelled Schedule.
 *
 * @param b2Hosts hosts, or parent domains, whose S3 endpoint is Backblaze B2
 * @throws DocumentError where its effective backend can't be read: its bucket would be unknown, and
 *   leaving it out of the module is what must not happen by accident (invariant 2)
 */
export function parseSchedule(object: KubeObject, b2Hosts: readonly string[]): Schedule {
  try {
    return readSchedule(object, b2Hosts);
  } catch (error) {
    if (isFieldError(error)) throw new DocumentError(nameObject(object), [error]);
    throw error;
  }
}

function readSchedule(object: KubeObject, b2Hosts: readonly string[]): Schedule {
  const [effective, ...others] = BACKEND_PATHS.filter(path => isSet(readPath(object, ...path)));
  const backend: Schedule['backend'] =
    effective === undefined
      ? { kind: 'other', why: "names no backend: the operator's default is used" }
      : readBackend(object, effective, b2Hosts);
  return {
    name: object.metadata.name,
    backend,
    furtherBuckets: others.flatMap(path => furtherBucket(object, path, { backend, b2Hosts })),
    secretReferences: findSecretReferences(readPath(object, 'spec'), { path: 'spec', storage: undefined, found: [] }),
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readBackend(object: KubeObject, path: readonly string[], b2Hosts: readonly string[]): Schedule['backend'] {
  const where = path.join('.');
  const backend = readPath(object, ...path);
  if (!isRecord(backend)) throw new FieldError(where, 'an object', { value: backend });
  const type = BACKEND_TYPES.find(candidate => isSet(readPath(backend, candidate)));
  if (type === undefined) return { kind: 'other', why: `${where} names no storage: the operator's default is used` };
  const storage = readPath(backend, type);
  if (!isRecord(storage)) throw new FieldError(`${where}.${type}`, 'an object', { value: storage });
  if (type === 'b2') return readB2(storage, `${where}.b2`, 'b2');
  if (type !== 's3') return { kind: 'other', why: `${where}.${type} is not Backblaze B2` };
  const host = readHost(storage, `${where}.s3`);
  if (host === undefined)
    return { kind: 'other', why: `${where}.s3 names no endpoint: the operator's default is used` };
  if (!b2Hosts.some(domain => host === domain || host.endsWith(`.${domain}`)))
    return { kind: 'other', why: `${where}.s3.endpoint ${host} is not one of ${b2Hosts.join(', ')}` };
  return readB2(storage, `${where}.s3`, 's3');
}

function readB2(storage: Readonly<Record<string, unknown>>, path: string, type: 's3' | 'b2'): B2Backend {
  const bucket = readPath(storage, 'bucket');
  if (typeof bucket !== 'string' || bucket === '')
    throw new FieldError(`${path}.bucket`, 'a non-empty string', { value: bucket });
  const expected = checkBucketName(bucket);
  if (expected !== undefined) throw new FieldError(`${path}.bucket`, expected, { value: bucket });
  const [id, secret] = CREDENTIALS[type];
  return {
    kind: 'b2',
    bucket,
    path,
    credentials: { id: readSecretKey(storage, id), secret: readSecretKey(storage, secret) },
    credentialPaths: [`${path}.${id}`, `${path}.${secret}`],
  };
}

function readSecretKey(storage: unknown, field: string): SecretKey | undefined {
  const name = readPath(storage, field, 'name');
  const key = readPath(storage, field, 'key');
  return typeof name === 'string' && name !== '' && typeof key === 'string' ? { name, key } : undefined;
}

/** Host of an S3 endpoint, which k8up takes with or without a scheme. */
function readHost(storage: unknown, path: string): string | undefined {
  const endpoint = readPath(storage, 'endpoint');
  if (!isSet(endpoint) || endpoint === '') return undefined;
  if (typeof endpoint !== 'string') throw new FieldError(`${path}.endpoint`, 'a URL or a host', { value: endpoint });
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  try {
    return new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  } catch {
    throw new FieldError(`${path}.endpoint`, 'a URL or a host', { value: endpoint });
  }
}

function furtherBucket(
  object: KubeObject,
  path: readonly string[],
  { backend, b2Hosts }: { backend: Schedule['backend']; b2Hosts: readonly string[] },
): { path: string; bucket: string }[] {
  try {
    const further = readBackend(object, path, b2Hosts);
    if (further.kind !== 'b2') return [];
    if (backend.kind === 'b2' && backend.bucket.toLowerCase() === further.bucket.toLowerCase()) return [];
    return [{ path: further.path, bucket: further.bucket }];
  } catch (error) {
    // Not the effective backend: whatever it is, no bucket of ours depends on it.
    if (isFieldError(error)) return [];
    throw error;
  }
}

/**
 * Finds every Secret that a spec names, by shape rather than by a list of fields, so that a field a
 * later k8up adds counts too: `…secret…: {name}` and `secretName: …` at any depth.
 *
 * @param place.storage where `value` is the content of an `s3` or `b2` field, which one
 */
function findSecretReferences(value: unknown, place: SecretPlace): SecretReference[] {
  if (typeof value !== 'object' || value === null) return place.found;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      findSecretReferences(item, { path: `${place.path}[${index}]`, storage: undefined, found: place.found });
    return place.found;
  }
  for (const [key, entry] of Object.entries(value) as [string, unknown][]) {
    const path = `${place.path}.${key}`;
    const secret = readSecretName(key, entry);
    if (secret !== undefined)
      place.found.push({ secret, path, credentialsOf: credentialsOf(value, place.storage, key) });
    findSecretReferences(entry, { path, storage: key === 's3' || key === 'b2' ? key : undefined, found: place.found });
  }
  return place.found;
}

interface SecretPlace {
  readonly path: string;
  readonly storage: 's3' | 'b2' | undefined;
  readonly found: SecretReference[];
}

function credentialsOf(storage: object, type: 's3' | 'b2' | undefined, key: string): string | undefined {
  if (type === undefined || !CREDENTIALS[type].some(field => field === key)) return undefined;
  const bucket = readPath(storage, 'bucket');
  return typeof bucket === 'string' ? bucket : undefined;
}

function readSecretName(key: string, entry: unknown): string | undefined {
  if (!/secret/i.test(key)) return undefined;
  const name = key === 'secretName' ? entry : readPath(entry, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}
