/**
 * State encryption, its rotation and its adoption (field report 38).
 *
 * OpenTofu stores a pbkdf2 provider's salt in the state, under the provider's address or its
 * `encrypted_metadata_alias`, and refuses two providers with one such name. So a state's reader must
 * use the name that its writer used, and while rotating the two passphrases need two names:
 *
 * - ordinarily the provider writes under its address, and a fallback with the same passphrase reads
 *   what was written under {@link ROTATED};
 * - while rotating the provider, with the new passphrase, writes under {@link ROTATED}, and a fallback
 *   with the previous one reads what was written under the address.
 *
 * Either phase reads what the other wrote. A second rotation begins once the first has ended with an
 * apply; earlier, the state cannot be read and stays as it is.
 */
import type { BlockNode, Reference } from '../hcl/ast.ts';
import { attr, block, bool, reference, string } from '../hcl/build.ts';
import type { StateEncryption } from '../intent/intent.ts';
import {
  ENCRYPTION_METHOD,
  PASSPHRASE_VARIABLE,
  PREVIOUS_PASSPHRASE_VARIABLE,
  ROTATED_SALT as ROTATED,
} from '../intent/names.ts';

interface Cipher {
  readonly provider: BlockNode;
  readonly method: BlockNode;
  readonly reference: Reference;
}

interface CipherOptions {
  /** Label of the method. */
  readonly label: string;
  /** Label of the key provider. */
  readonly provider: string;
  readonly variable: string;
  /** undefined: the provider's address. */
  readonly metadataAlias: string | undefined;
}

/** `encryption { … }` for state and plan. */
export function buildStateEncryption(encryption: StateEncryption): BlockNode {
  const { adoptUnencrypted, keyProviderName, rotating } = encryption;
  const current = buildCipher({
    label: ENCRYPTION_METHOD,
    provider: keyProviderName,
    variable: PASSPHRASE_VARIABLE,
    metadataAlias: rotating ? ROTATED : undefined,
  });
  const fallback = rotating
    ? buildCipher({
        label: 'previous',
        provider: `${keyProviderName}_previous`,
        variable: PREVIOUS_PASSPHRASE_VARIABLE,
        metadataAlias: `key_provider.pbkdf2.${keyProviderName}`,
      })
    : buildCipher({
        label: ROTATED,
        provider: `${keyProviderName}_${ROTATED}`,
        variable: PASSPHRASE_VARIABLE,
        metadataAlias: ROTATED,
      });
  const plain = {
    method: block('method', ['unencrypted', 'plain'], []),
    reference: methodReference('unencrypted', 'plain'),
  };
  const methods = [current.method, fallback.method, ...(adoptUnencrypted ? [plain.method] : [])];
  const readable = [fallback.reference, ...(adoptUnencrypted ? [plain.reference] : [])];
  return block(
    'encryption',
    [],
    [
      current.provider,
      fallback.provider,
      ...methods,
      // OpenTofu refuses an unencrypted method, even as a fallback, where encryption is enforced.
      buildTarget('state', current.reference, { enforced: !adoptUnencrypted, fallbacks: readable }),
      // A plan is read by the run that wrote it: nothing old to fall back to.
      buildTarget('plan', current.reference, { enforced: true, fallbacks: [] }),
    ],
  );
}

function buildCipher(options: CipherOptions): Cipher {
  const { label, metadataAlias, provider, variable } = options;
  const alias = metadataAlias === undefined ? [] : [attr('encrypted_metadata_alias', string(metadataAlias))];
  return {
    provider: block('key_provider', ['pbkdf2', provider], [attr('passphrase', reference('var', variable)), ...alias]),
    method: block('method', ['aes_gcm', label], [attr('keys', reference('key_provider', 'pbkdf2', provider))]),
    reference: methodReference('aes_gcm', label),
  };
}

function methodReference(type: string, label: string): Reference {
  return reference('method', type, label);
}

function buildTarget(
  type: 'state' | 'plan',
  method: Reference,
  options: { readonly enforced: boolean; readonly fallbacks: readonly Reference[] },
): BlockNode {
  // Fallbacks nest: each is tried when the one around it cannot read.
  const nested = options.fallbacks.reduceRight<readonly BlockNode[]>(
    (inner, fallback) => [block('fallback', [], [attr('method', fallback), ...inner])],
    [],
  );
  return block(type, [], [attr('method', method), attr('enforced', bool(options.enforced)), ...nested]);
}
