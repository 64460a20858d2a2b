/**
 * Room tofu: what is wanted → HCL nodes.
 * In: Intent. Out: the module's body and the provider configuration's body; layout of a module's text.
 * May import: hcl, types and names of intent, gen. Must never: hold HCL text, a secret, or a block
 * type that OpenTofu 1.10 does not know.
 */
import type { Body } from '../hcl/ast.ts';
import { block, body, loneComment } from '../hcl/build.ts';
import type { Intent } from '../intent/intent.ts';
import { buildBucketLocals, buildBucketOutputs, buildBucketRefactorings, buildBuckets } from './backup-bucket.ts';
import { buildDnsLocals, buildDnsOutputs, buildDnsRecords } from './dns-record.ts';
import { MARKER_TEXT } from './marker.ts';
import { buildProviders, buildRequirements } from './providers.ts';
import { buildStateRewrite } from './state-rewrite.ts';

/**
 * The Workspace's inline module. The same Intent gives the same nodes.
 * Names in it are addresses in state: see intent/names.ts before changing one.
 */
export function buildRootModule(intent: Intent): Body {
  const { dns } = intent;
  return body([
    loneComment(MARKER_TEXT),
    buildRequirements(intent),
    ...buildProviders(intent),
    block('locals', [], [...buildBucketLocals(intent), ...(dns === undefined ? [] : buildDnsLocals(dns))]),
    ...buildBuckets(intent),
    ...buildBucketRefactorings(intent),
    ...(dns === undefined ? [] : buildDnsRecords(dns)),
    ...buildBucketOutputs(intent),
    ...(dns === undefined ? [] : buildDnsOutputs()),
    ...buildStateRewrite(intent.encryption),
  ]);
}
