import type { Input } from '../api/input.ts';
import type { Existing } from '../cluster/existing.ts';
import type { Schedule } from '../cluster/schedule.ts';
import type { Intent, WantedBucket } from '../intent/intent.ts';
import { assignKeys, findKey, indexKeys, KEY, refuseStrangers, type Composed, type KeyIndex } from './keys.ts';
import { readPath, type KubeObject } from '../kube.ts';
import { readApplicationKeys } from './application-keys.ts';
import { composeCredentialsSecret, findOtherCredentials, refuseForeignSecrets } from './credentials-secret.ts';
import { composeProviderConfig } from './provider-config.ts';
import { composeUsages, findReadSecrets } from './usage.ts';
import { composeWorkspace, connectionSecretName } from './workspace.ts';

export interface ComposeSources {
  readonly intent: Intent;
  /** Whether the Workspace may be told which buckets there are. */
  readonly bucketsKnown: boolean;
  readonly input: Input;
  /** HCL texts, printed by hcl/print. */
  readonly texts: { readonly module: string; readonly configuration: string };
  readonly schedules: readonly Schedule[];
  readonly existing: Existing;
  /** Objects of earlier steps, by key. */
  readonly desired: ReadonlyMap<string, KubeObject>;
}

export interface ComposedObjects {
  /** By composition resource key, sorted. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** Keys of buckets; see CredentialsReport. */
  readonly credentials: {
    readonly pending: readonly string[];
    readonly stale: readonly string[];
    readonly other: readonly string[];
  };
}

/**
 * Composes everything of ours.
 * @throws DoubtError where a Secret or a key belongs to somebody else
 */
export function composeObjects(sources: ComposeSources): ComposedObjects {
  const { bucketsKnown, intent, input, texts, schedules, existing, desired } = sources;
  refuseStrangers(existing.strangers, existing.objects, desired);
  const workspace = composeWorkspace(intent, input, { module: texts.module, bucketsKnown });
  const providerConfig = composeProviderConfig(intent.namespace, intent.name, texts.configuration);
  const wanted = intent.buckets.filter(bucket => bucket.state === 'Wanted');
  refuseForeignSecrets(wanted, reservedSecrets(intent, workspace, providerConfig), schedules);
  const index = indexKeys(existing.objects);
  const secrets = composeSecrets(wanted, sources, index);
  return {
    objects: assignKeys(
      [
        { key: KEY.providerConfig, object: providerConfig },
        { key: KEY.workspace, object: workspace },
        ...composeUsages(workspace, providerConfig, readUid(existing.workspace?.object)),
        ...secrets.composed,
      ],
      existing.objects,
      desired,
      index,
    ),
    credentials: { ...secrets, other: findOther(wanted, schedules, input) },
  };
}

function reservedSecrets(intent: Intent, ...readers: readonly KubeObject[]): ReadonlyMap<string, string> {
  const connection = connectionSecretName(intent.name);
  return new Map([
    ...[...findReadSecrets(...readers)].map(name => [name, 'the Workspace reads'] as const),
    [connection, "holds the Workspace's outputs"] as const,
  ]);
}

function composeSecrets(
  wanted: readonly WantedBucket[],
  { intent, input, existing }: ComposeSources,
  index: KeyIndex,
): { readonly composed: readonly Composed[]; readonly pending: readonly string[]; readonly stale: readonly string[] } {
  const keys = readApplicationKeys(existing.connectionDetails);
  const composed: Composed[] = [];
  const pending: string[] = [];
  const stale: string[] = [];
  for (const bucket of wanted) {
    const { namespace } = intent;
    const observedKey = findKey(index, { group: '', kind: 'Secret', namespace, name: bucket.secretName });
    const secret = composeCredentialsSecret(bucket, {
      namespace,
      input,
      key: keys.get(bucket.key),
      observed: observedKey === undefined ? undefined : existing.objects.get(observedKey),
    });
    if (secret.kind === 'pending') pending.push(bucket.key);
    else composed.push({ key: KEY.credentials(bucket.secretName), object: secret.object });
    if (secret.kind === 'stale') stale.push(bucket.key);
  }
  return { composed, pending, stale };
}

function findOther(wanted: readonly WantedBucket[], schedules: readonly Schedule[], input: Input): readonly string[] {
  const byName = new Map(schedules.map(schedule => [schedule.name, schedule]));
  return wanted.flatMap(bucket =>
    bucket.schedules.flatMap(name => {
      const schedule = byName.get(name);
      return (schedule && findOtherCredentials(bucket, schedule, input)) ?? [];
    }),
  );
}

function readUid(object: KubeObject | undefined): string | undefined {
  const uid = readPath(object, 'metadata', 'uid');
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}
