import type { BlockNode } from '../hcl/ast.ts';
import { string } from '../hcl/build.ts';
import type { StateEncryption } from '../intent/intent.ts';
import { OUTPUT } from '../intent/names.ts';
import { output } from './output.ts';

/**
 * An output that stands in the module only while the state is to be written anew: with another
 * passphrase, or encrypted for the first time. OpenTofu writes state when it applies, and the
 * provider applies only a plan that has changes; without this one the old passphrase would be needed
 * until something else changes. That the output goes away again makes the next write.
 */
export function buildStateRewrite(encryption: StateEncryption): readonly BlockNode[] {
  const { adoptUnencrypted, rotating } = encryption;
  const reasons = [...(adoptUnencrypted ? ['adopting'] : []), ...(rotating ? ['rotating'] : [])];
  return reasons.length === 0 ? [] : [output(OUTPUT.stateRewrite, string(reasons.join(' ')))];
}
