/** The ProviderConfig's configuration: where state lies and how it is encrypted. No secret stands in it. */
import type { BlockNode, Body } from '../hcl/ast.ts';
import { attr, block, body, bool, object, reference, string } from '../hcl/build.ts';
import type { Intent, StateBackend } from '../intent/intent.ts';
import { PASSPHRASE_VARIABLE, PREVIOUS_PASSPHRASE_VARIABLE } from '../intent/names.ts';
import { buildStateEncryption } from './state-encryption.ts';

/** Lies beside the module as a file of its own, in the same directory. */
export function buildProviderConfiguration(intent: Intent): Body {
  const { encryption, state } = intent;
  return body([
    block('terraform', [], [buildBackend(state), buildStateEncryption(encryption)]),
    buildPassphraseVariable(PASSPHRASE_VARIABLE),
    ...(encryption.rotating ? [buildPassphraseVariable(PREVIOUS_PASSPHRASE_VARIABLE)] : []),
  ]);
}

/** For S3 that is not AWS: no AWS account, region list, metadata service or newer checksum (field report 36). */
function buildBackend(state: StateBackend): BlockNode {
  return block(
    'backend',
    ['s3'],
    [
      attr('bucket', string(state.bucket)),
      attr('key', string(state.key)),
      attr('region', string(state.region)),
      attr('workspace_key_prefix', string(state.workspaceKeyPrefix)),
      attr('endpoints', object({ s3: string(state.endpoint) })),
      attr('use_path_style', bool(true)),
      attr('skip_credentials_validation', bool(true)),
      attr('skip_region_validation', bool(true)),
      attr('skip_metadata_api_check', bool(true)),
      attr('skip_requesting_account_id', bool(true)),
      attr('skip_s3_checksum', bool(true)),
      // An argument more, though it says the default, is another backend to `init`: one that a run directory refuses.
      ...(state.lockfile ? [attr('use_lockfile', bool(true))] : []),
    ],
  );
}

function buildPassphraseVariable(name: string): BlockNode {
  return block('variable', [name], [attr('type', reference('string')), attr('sensitive', bool(true))]);
}
