import { quoteShort } from '../errors.ts';
import type { ObservedWorkspace } from '../cluster/workspace.ts';
import { readCondition } from '../kube.ts';
import type { Condition } from '../decision.ts';
import { CONDITION, condition } from './conditions.ts';
import { unpackError } from './packed-error.ts';

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
  /** Tried in order on the Workspace's message, in which white space is folded; the first that matches wins. */
  readonly pattern: RegExp;
  readonly say: (context: HintContext, match: RegExpExecArray) => string;
}

/** The address or the header of a block of an extra module, as OpenTofu's errors name it. */
const EXTRA_BLOCK =
  /\b(?:data\.)?[a-z0-9_-]{1,100}\.extra_[A-Za-z0-9_-]{1,100}|\b(?:resource|data|output) "(?:[a-z0-9_-]{1,100}" ")?extra_[A-Za-z0-9_-]{1,100}"/;

/**
 * Known failures and the layer where their cause sits, after docs/failure-modes.md. Texts are those of
 * OpenTofu 1.10 and 1.12, Backblaze, S3 and the API server.
 */
const HINTS: readonly Hint[] = [
  {
    // crossplane-runtime's text, after a provider that ended in the middle of a Workspace's first apply.
    reason: 'CreationInterrupted',
    pattern: /cannot determine creation result/i,
    say: ({ namespace }) =>
      `Crossplane and provider layer: the provider ended in the middle of the first apply in ${namespace}, and waits for a human. ` +
      'See docs/runbooks/interrupted-first-apply.md',
  },
  {
    reason: 'ProviderConfigNotFound',
    pattern: /provider ?configs?\b.{0,200}not found|cannot get (?:referenced )?ProviderConfig/i,
    say: ({ namespace }) =>
      `Crossplane layer: the ProviderConfig in ${namespace} is gone. It is composed again on the next reconcile; ` +
      'in a namespace that terminates, nothing makes it again: see docs/failure-modes.md',
  },
  {
    reason: 'SecretMissing',
    pattern: /secrets? "[^"]{1,253}" not found|cannot (?:get|find|extract).{0,120}secret|which is not available/i,
    say: ({ namespace, namespaceLabels }, match) => {
      const name = /secrets? "([^"]{1,253})" not found/i.exec(match.input)?.[1];
      const secret =
        name === undefined ? 'a Secret that the Workspace reads, or a key of it,' : `Secret ${quoteShort(name)}`;
      return (
        `Flux and External Secrets layer: ${secret} is not in ${namespace}. ` +
        `Check that the Namespace carries ${namespaceLabels.join(', ')} and that External Secrets delivers it`
      );
    },
  },
  {
    reason: 'StateNotEncrypted',
    pattern: /encountered unencrypted payload/i,
    say: ({ stateAddress }) =>
      `OpenTofu layer: the state at ${stateAddress} is plain text. Set state.encryption.adoptUnencrypted in the Input until it was written encrypted`,
  },
  {
    reason: 'PassphraseTooShort',
    pattern: /passphrase is too short/i,
    say: ({ namespace, passphraseSecret }) =>
      `Secrets layer: the passphrase in Secret ${namespace}/${passphraseSecret} has fewer than 16 characters`,
  },
  {
    reason: 'WrongPassphrase',
    pattern: /decryption failed|message authentication failed|(?:unable|failed) to decrypt|could not be decrypted/i,
    say: ({ namespace, passphraseSecret }) =>
      `Secrets layer: the state can't be read with the passphrase in Secret ${namespace}/${passphraseSecret}. ` +
      'After a change of the passphrase, set state.encryption.previousSecretRef to the one before',
  },
  {
    reason: 'PreventDestroy',
    pattern: /\b(?:Resource instance|Instance) cannot be destroyed/,
    say: (_context, match) => {
      const instance = /b2_bucket\.backup\["([A-Za-z0-9-]{6,63})"\]/.exec(match.input)?.[1];
      const extra = EXTRA_BLOCK.exec(match.input)?.[0];
      if (instance === undefined && extra !== undefined)
        return `Composition layer: the plan would destroy ${extra}, and its own block in extraModules refuses that`;
      const bucket = instance === undefined ? 'a protected bucket' : `bucket ${instance}`;
      return (
        `Crossplane layer: the plan would destroy ${bucket}, which is refused by design. To keep it, add it to spec.adoptBuckets ` +
        'with its id, while spec.retainBuckets is true; to give it up without destroying it, adopt it first, then move it ' +
        'to spec.releaseBuckets'
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
    reason: 'BucketNotEmpty',
    pattern: /cannot_delete_non_empty_bucket|bucket.{0,60}(?:is )?not empty/i,
    say: () =>
      'OpenTofu layer: Backblaze deletes no bucket that holds files. For a teardown, empty it by hand, hidden versions included',
  },
  {
    reason: 'DeleteBucketsUnauthorized',
    pattern: /deleteBuckets|(?:un|not )authorized.{0,200}bucket|bucket.{0,200}(?:un|not )authorized/i,
    say: ({ namespace, b2Secret }) =>
      `OpenTofu layer: the Backblaze key in Secret ${namespace}/${b2Secret} may not do this; that it may not delete buckets is on purpose. ` +
      'For a teardown, empty and delete the bucket by hand, or deliver a key with deleteBuckets',
  },
  {
    reason: 'ProviderDownloadFailed',
    pattern: /Failed to resolve provider packages|Failed to install provider|could not connect to registry/i,
    say: () => 'Network layer: OpenTofu can not download its providers; look at the egress of the provider pod',
  },
  {
    reason: 'BackendInitFailed',
    pattern:
      /NoSuchBucket|S3 bucket .{0,100}does not exist|Failed to get existing workspaces|InvalidAccessKeyId|SignatureDoesNotMatch|Error refreshing (?:the )?state|(?:loading|initializing|configuring).{0,60}backend|Backend (?:initialization required|configuration changed)|No valid credential sources|AccessDenied|StatusCode: 403/i,
    say: ({ namespace, stateSecret, stateAddress }) =>
      `OpenTofu layer: the state at ${stateAddress} can't be reached. If every Workspace fails, the state bucket or its ` +
      `credentials changed: look at the environment that makes it; else at Secret ${namespace}/${stateSecret}, which must be allowed to list the bucket`,
  },
  {
    // The last: whatever else is known of the error says more.
    reason: 'ExtraModuleFailed',
    pattern: EXTRA_BLOCK,
    say: (_context, match) =>
      `Composition layer: OpenTofu's error names ${match[0]}, which stands in extraModules of the Composition's Input. ` +
      'While it fails, nothing in this namespace is applied',
  },
];

/** What is known stands in the first part of a message, or of the text packed in it. */
const MAX_MESSAGE = 16_384;

/**
 * What the observed Workspace's condition says, and for a known failure what to do. The message of the
 * Workspace itself is never repeated: it may hold anything.
 */
export function reportWorkspace(workspace: ObservedWorkspace | undefined, context: HintContext): Condition {
  const say = (status: Condition['status'], reason: string, message = ''): Condition =>
    condition(CONDITION.workspace, status, reason, message);
  const synced = workspace === undefined ? undefined : readCondition(workspace.object, 'Synced');
  if (synced === undefined || synced.status === 'Unknown') return say('Unknown', 'NotAppliedYet');
  // True of an older generation speaks of the module before this one.
  if (synced.status === 'True')
    return workspace?.synced === true ? say('True', 'Applied') : say('Unknown', 'NotAppliedYet');
  const message = [synced.message, unpackError(synced.message)]
    .map(text => text.slice(0, MAX_MESSAGE).replaceAll(/\s+/g, ' '))
    .join(' ');
  for (const { reason, pattern, say: hint } of HINTS) {
    const match = pattern.exec(message);
    if (match !== null) return say('False', reason, hint(context, match));
  }
  return say('False', 'NotSynced', 'OpenTofu reports an error: see the Synced condition of the Workspace');
}
