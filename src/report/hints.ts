import { quoteShort } from '../errors.ts';
import { readCondition, type KubeObject } from '../kube.ts';
import type { Condition } from '../decision.ts';
import { CONDITION, condition } from './conditions.ts';

/** What hints may name: references only, never a value. */
export interface HintContext {
  readonly namespace: string;
  readonly namespaceLabels: readonly string[];
  readonly stateAddress: string;
  readonly passphraseSecret: string;
  readonly stateSecret: string;
  readonly b2Secret: string;
}

interface Hint {
  readonly reason: string;
  /** Tried in order on the Workspace's message; the first that matches wins. */
  readonly pattern: RegExp;
  readonly say: (context: HintContext, match: RegExpExecArray) => string;
}

/**
 * Known failures and the layer where their cause sits. Rows after the failure-mode table of
 * docs/failure-modes.md; texts as OpenTofu 1.10 and 1.12 and provider-opentofu print them.
 */
const HINTS: readonly Hint[] = [
  {
    reason: 'ProviderConfigNotFound',
    pattern: /(?:ProviderConfig|providerconfigs)[^\n]{0,200}not found|cannot get (?:referenced )?ProviderConfig/i,
    say: ({ namespace }) =>
      `Crossplane layer: the ProviderConfig in ${namespace} is gone. It is composed again on the next reconcile; ` +
      'in a namespace that terminates, nothing makes it again: see docs/failure-modes.md',
  },
  {
    reason: 'SecretMissing',
    pattern: /secrets? "([^"\n]{1,253})" not found|cannot (?:get|find|extract)[^\n]{0,120}secret/i,
    say: ({ namespace, namespaceLabels }, match) =>
      `Flux and External Secrets layer: ${match[1] === undefined ? 'a Secret that the Workspace reads' : `Secret ${quoteShort(match[1])}`} ` +
      `is not in ${namespace}. Check that the Namespace carries ${namespaceLabels.join(', ')} and that External Secrets delivers it`,
  },
  {
    reason: 'WrongPassphrase',
    pattern:
      /decryption failed|message authentication failed|unable to decrypt|failed to decrypt|encountered unencrypted payload|could not be decrypted/i,
    say: ({ namespace, passphraseSecret }) =>
      `Secrets layer: the state can't be read with the passphrase in Secret ${namespace}/${passphraseSecret}. ` +
      'While rotating, set state.encryption.previousSecretRef; for state that is plain text, set state.encryption.adoptUnencrypted',
  },
  {
    reason: 'PreventDestroy',
    pattern: /(?:Resource instance|Instance) cannot be destroyed/,
    say: (_context, match) => {
      const instance = /b2_bucket\.backup\["([A-Za-z0-9-]{6,63})"\]/.exec(match.input)?.[1];
      const bucket = instance === undefined ? 'a protected bucket' : `bucket ${instance}`;
      return (
        `Crossplane layer: the plan would destroy ${bucket}, which is refused by design. To keep it, add it to spec.adoptBuckets ` +
        'with its id; to give it up without destroying it, add it to spec.releaseBuckets; to destroy it with the ' +
        'namespace, set spec.retainBuckets: false and let that reconcile before the deletion'
      );
    },
  },
  {
    reason: 'BucketExists',
    pattern: /duplicate_bucket_name|bucket name is already in use|bucket (?:name )?already exists/i,
    say: () =>
      'Crossplane and provider layer: the bucket exists at Backblaze and is not in this state. If it is yours, add it to ' +
      'spec.adoptBuckets with its id, after no other Workspace lists it; bucket names are unique over all accounts',
  },
  {
    reason: 'DeleteBucketsUnauthorized',
    pattern:
      /deleteBuckets|(?:unauthorized|not authorized)[^\n]{0,200}(?:delete|destroy)[^\n]{0,60}bucket|delet(?:e|ing)[^\n]{0,60}bucket[^\n]{0,200}unauthorized/i,
    say: ({ namespace, b2Secret }) =>
      `OpenTofu layer: the Backblaze key in Secret ${namespace}/${b2Secret} may not delete buckets, on purpose. ` +
      'For a teardown, empty and delete the bucket by hand, or deliver a key with deleteBuckets',
  },
  {
    reason: 'BackendInitFailed',
    pattern:
      /NoSuchBucket|S3 bucket [^\n]{0,100}does not exist|Failed to get existing workspaces|error (?:loading|initializing|configuring)[^\n]{0,60}backend|Error refreshing state|InvalidAccessKeyId|SignatureDoesNotMatch|Backend (?:initialization required|configuration changed)|No valid credential sources/i,
    say: ({ namespace, stateSecret, stateAddress }) =>
      `OpenTofu layer: init can't reach the state at ${stateAddress}. If every Workspace fails, the state bucket or its ` +
      `credentials changed: look at the environment that makes it; else at Secret ${namespace}/${stateSecret}`,
  },
];

/**
 * What the observed Workspace's condition says, and for a known failure what to do. The message of the
 * Workspace itself is never repeated: it may hold anything.
 */
export function reportWorkspace(workspace: KubeObject | undefined, context: HintContext): Condition {
  const say = (status: Condition['status'], reason: string, message = ''): Condition =>
    condition(CONDITION.workspace, status, reason, message);
  const synced = workspace === undefined ? undefined : readCondition(workspace, 'Synced');
  if (synced === undefined || synced.status === 'Unknown') return say('Unknown', 'NotAppliedYet');
  if (synced.status === 'True') return say('True', 'Applied');
  for (const { reason, pattern, say: hint } of HINTS) {
    const match = pattern.exec(synced.message);
    if (match !== null) return say('False', reason, hint(context, match));
  }
  return say('False', 'NotSynced', 'OpenTofu reports an error: see the Synced condition of the Workspace');
}
