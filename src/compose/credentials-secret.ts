import type { Input } from '../api/input.ts';
import type { Schedule } from '../cluster/schedule.ts';
import { DoubtError } from '../errors.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import type { WantedBucket } from '../intent/intent.ts';
import { isRecord, type KubeObject } from '../kube.ts';
import { COMPOSED_LABELS } from './labels.ts';

/** A bucket's application key as OpenTofu's sensitive outputs give it. Never logged, never in a message. */
export interface ApplicationKey {
  readonly id: string;
  readonly secret: string;
}

export type CredentialsSecret =
  | { readonly kind: 'fresh' | 'stale'; readonly object: KubeObject }
  /** OpenTofu has not made the key yet. */
  | { readonly kind: 'pending' };

/**
 * The Secret a Schedule reads its bucket's credentials from.
 *
 * @param key      undefined where the connection details lack the bucket's key or a part of it
 * @param observed the Secret as it exists, if it is ours: desired again with its data while the details
 *   are missing, because leaving it out would delete it under running backups (hazard 8)
 */
export function composeCredentialsSecret(
  bucket: WantedBucket,
  {
    namespace,
    input,
    key,
    observed,
  }: {
    readonly namespace: string;
    readonly input: Input;
    readonly key: ApplicationKey | undefined;
    readonly observed: KubeObject | undefined;
  },
): CredentialsSecret {
  const secret = (data: unknown): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: bucket.secretName, namespace, labels: COMPOSED_LABELS },
    type: 'Opaque',
    data,
  });
  const { accessKeyIdKey, secretAccessKeyKey } = input.backup.schedulesSecret;
  if (key !== undefined)
    return {
      kind: 'fresh',
      object: secret({ [accessKeyIdKey]: toBase64(key.id), [secretAccessKeyKey]: toBase64(key.secret) }),
    };
  const data = observed?.['data'];
  return isRecord(data) ? { kind: 'stale', object: secret(data) } : { kind: 'pending' };
}

/** Without Buffer: the decision runs where there is no node, too. Keys of B2 are ASCII, where text and bytes are one. */
function toBase64(text: string): string {
  if (ASCII.test(text)) return btoa(text);
  return btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''));
}

const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Refuses a Secret name that belongs to somebody else (hazard 5): core would take the Secret over,
 * overwrite its keys and delete it with the XR. A restic password lost this way is a backup lost.
 *
 * @param reserved name → who reads or writes it
 * @throws DoubtError
 */
export function refuseForeignSecrets(
  wanted: readonly WantedBucket[],
  reserved: ReadonlyMap<string, string>,
  schedules: readonly Schedule[],
): void {
  const uses = indexUses(schedules);
  for (const { secretName, key } of wanted) {
    const other = uses.get(secretName)?.find(({ bucket }) => bucket !== key);
    const user =
      reserved.get(secretName) ?? (other && `Schedule ${other.schedule} reads for something else (${other.path})`);
    if (user !== undefined)
      throw new DoubtError(
        'SecretInUse',
        `the credentials of bucket ${key} would be written to Secret ${secretName}, which ${user}`,
      );
  }
}

interface SecretUse {
  readonly schedule: string;
  readonly path: string;
  /** Key of the bucket whose credentials are read; undefined for any other use. */
  readonly bucket: string | undefined;
}

function indexUses(schedules: readonly Schedule[]): ReadonlyMap<string, readonly SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  for (const { name, secretReferences } of schedules)
    for (const { secret, path, credentialsOf } of secretReferences) {
      const use = { schedule: name, path, bucket: credentialsOf === undefined ? undefined : bucketKey(credentialsOf) };
      const list = uses.get(secret);
      if (list === undefined) uses.set(secret, [use]);
      else list.push(use);
    }
  return uses;
}

/** What to tell the owner of a Schedule that reads other credentials than those composed for its bucket. */
export function findOtherCredentials(bucket: WantedBucket, schedule: Schedule, input: Input): string | undefined {
  if (schedule.backend.kind !== 'b2') return undefined;
  const { id, secret } = schedule.backend.credentials;
  const { accessKeyIdKey, secretAccessKeyKey } = input.backup.schedulesSecret;
  const right =
    id?.name === bucket.secretName &&
    secret?.name === bucket.secretName &&
    id.key === accessKeyIdKey &&
    secret.key === secretAccessKeyKey;
  if (right) return undefined;
  const [idPath, secretPath] = schedule.backend.credentialPaths;
  return (
    `Schedule ${schedule.name} does not read Secret ${bucket.secretName}: set ${idPath} to ` +
    `{name: ${bucket.secretName}, key: ${accessKeyIdKey}} and ${secretPath} to {name: ${bucket.secretName}, key: ${secretAccessKeyKey}}`
  );
}
