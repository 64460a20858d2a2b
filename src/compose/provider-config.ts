import { OPENTOFU_API } from '../cluster/workspace.ts';
import type { ProviderConfig } from '../gen/kubernetes/provider-config.ts';
import type { KubeObject } from '../kube.ts';
import { COMPOSED_LABELS } from './labels.ts';

/**
 * The ProviderConfig that carries backend and encryption into every run. It needs no credentials:
 * the Workspace's environment feeds backend and providers alike, from Secrets.
 *
 * @param configuration HCL, printed by hcl/print
 */
export function composeProviderConfig(namespace: string, name: string, configuration: string): KubeObject {
  return {
    apiVersion: OPENTOFU_API,
    kind: 'ProviderConfig',
    metadata: { name, namespace, labels: COMPOSED_LABELS },
    spec: { configuration },
  } satisfies ProviderConfig;
}
