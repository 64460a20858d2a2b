import type { Input } from '../api/input.ts';
import {
  BUCKETS_ANNOTATION,
  EXTERNAL_NAME_ANNOTATION,
  OPENTOFU_API,
  RELEASE_ANNOTATION,
  STATE_ANNOTATION,
} from '../cluster/workspace.ts';
import type { Workspace } from '../gen/kubernetes/workspace.ts';
import type { Intent } from '../intent/intent.ts';
import { PASSPHRASE_VARIABLE, PREVIOUS_PASSPHRASE_VARIABLE } from '../intent/names.ts';
import { deriveStateAddress } from '../intent/state-address.ts';
import type { KubeObject } from '../kube.ts';
import { COMPOSED_LABELS } from './labels.ts';

/** How long apply and destroy wait for a lock that another run holds (field report 39). */
const LOCK_TIMEOUT = '-lock-timeout=5m';

interface EnvironmentVariable {
  readonly name: string;
  readonly secretKeyRef: { readonly name: string; readonly key: string };
}

/** Secret that OpenTofu's outputs are written to. */
export function connectionSecretName(name: string): string {
  return `${name}-outputs`;
}

/**
 * The Workspace. Its name and external name are the XR's, never generated: the external name is part
 * of the state's address (field report 9).
 *
 * @param module HCL, printed by hcl/print
 * @param bucketsKnown false while memory is lost: the annotation that is missing then is what says so, until
 *   OpenTofu's outputs tell again
 */
export function composeWorkspace(
  intent: Intent,
  input: Input,
  { module, bucketsKnown }: { readonly module: string; readonly bucketsKnown: boolean },
): KubeObject {
  const { namespace, name } = intent;
  return {
    apiVersion: OPENTOFU_API,
    kind: 'Workspace',
    metadata: {
      name,
      namespace,
      labels: COMPOSED_LABELS,
      annotations: {
        [EXTERNAL_NAME_ANNOTATION]: intent.state.workspace,
        ...(bucketsKnown ? { [BUCKETS_ANNOTATION]: composeBucketsAnnotation(intent) } : {}),
        ...(intent.buckets.some(({ state }) => state === 'Releasing') ? { [RELEASE_ANNOTATION]: intent.release } : {}),
        [STATE_ANNOTATION]: deriveStateAddress(intent.state),
      },
    },
    spec: {
      forProvider: {
        source: 'Inline',
        inlineFormat: 'HCL',
        module,
        env: composeEnvironment(input, intent),
        ...(intent.state.lockfile ? { applyArgs: [LOCK_TIMEOUT], destroyArgs: [LOCK_TIMEOUT] } : {}),
      },
      providerConfigRef: { kind: 'ProviderConfig', name },
      writeConnectionSecretToRef: { name: connectionSecretName(name) },
    },
  } satisfies Workspace;
}

/** What the module speaks of; Released buckets are in no module any more. */
function composeBucketsAnnotation({ buckets }: Intent): string {
  const inModule = buckets.filter(({ state }) => state !== 'Released');
  return JSON.stringify(Object.fromEntries(inModule.map(({ name, state }) => [name, state])));
}

/** Secrets only, by reference; sorted. provider-opentofu gives them to init, plan, apply and destroy alike. */
function composeEnvironment(input: Input, intent: Intent): EnvironmentVariable[] {
  const { state, backup, dns } = input;
  const { secretRef: passphrase, previousSecretRef: previous } = state.encryption;
  const s3 = state.credentialsSecretRef;
  const b2 = backup.credentialsSecretRef;
  const from = (name: string, secret: string, key: string): EnvironmentVariable => ({
    name,
    secretKeyRef: { name: secret, key },
  });
  return [
    from('AWS_ACCESS_KEY_ID', s3.name, s3.accessKeyIdKey),
    from('AWS_SECRET_ACCESS_KEY', s3.name, s3.secretAccessKeyKey),
    from('B2_APPLICATION_KEY', b2.name, b2.applicationKeyKey),
    from('B2_APPLICATION_KEY_ID', b2.name, b2.applicationKeyIdKey),
    ...(dns === undefined || intent.dns === undefined
      ? []
      : [from('NB_PAT', dns.tokenSecretRef.name, dns.tokenSecretRef.key)]),
    from(`TF_VAR_${PASSPHRASE_VARIABLE}`, passphrase.name, passphrase.key),
    ...(previous === undefined ? [] : [from(`TF_VAR_${PREVIOUS_PASSPHRASE_VARIABLE}`, previous.name, previous.key)]),
  ];
}
