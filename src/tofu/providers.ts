/** Which providers the module needs, pinned, and their blocks. */
import type { BlockNode } from '../hcl/ast.ts';
import { attr, block, object, string } from '../hcl/build.ts';
import type { Intent, ProviderPin } from '../intent/intent.ts';
import { provider } from './typed-block.ts';

/** What provider-opentofu bundles at least; nothing newer than this is used in the module. */
const REQUIRED_VERSION = '>= 1.10.0';

/** `terraform { required_version, required_providers }` */
export function buildRequirements(intent: Intent): BlockNode {
  const { b2, netbird } = intent.providers;
  const pins = [
    attr('b2', pin(b2)),
    ...(intent.dns === undefined ? [] : [attr('netbird', pin(netbird))]),
    ...intent.extra.providers.map(extra => attr(extra.name, pin(extra))),
  ];
  return block(
    'terraform',
    [],
    [attr('required_version', string(REQUIRED_VERSION)), block('required_providers', [], pins)],
  );
}

/** Provider blocks. Credentials come from the Workspace's environment. */
export function buildProviders(intent: Intent): readonly BlockNode[] {
  const b2 = provider('b2', { arguments: {} });
  if (intent.dns === undefined) return [b2];
  const { managementUrl } = intent.dns;
  const netbird = provider('netbird', {
    arguments: managementUrl === undefined ? {} : { management_url: string(managementUrl) },
  });
  return [b2, netbird];
}

function pin({ source, version }: ProviderPin): ReturnType<typeof object> {
  return object({ source: string(source), version: string(version) }, 'lines');
}
