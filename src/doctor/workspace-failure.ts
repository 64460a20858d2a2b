/** Why OpenTofu fails in a Workspace: the function's own words about its Synced condition. */
import type { Input } from '../api/input.ts';
import { readWorkspace } from '../cluster/workspace.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { deriveStateAddress } from '../intent/state-address.ts';
import type { KubeObject } from '../kube.ts';
import { reportWorkspace } from '../report/hints.ts';
import { isPaused, namespaceOf } from './namespaces.ts';

export interface WorkspaceFailure {
  readonly workspace: KubeObject;
  readonly namespace: string;
  /** As docs/failure-modes.md lists them. */
  readonly reason: string;
  readonly message: string;
}

/** A paused Workspace is none of them: its Synced condition says so, and nothing of OpenTofu. */
export function findFailures(workspaces: readonly KubeObject[], input: Input): readonly WorkspaceFailure[] {
  return workspaces.flatMap(workspace => {
    const namespace = namespaceOf(workspace);
    const observed = readWorkspace(workspace);
    const { status, reason, message } = reportWorkspace(observed, {
      namespace,
      namespaceLabels: Object.entries(input.namespaceLabels).map(([key, value]) => `${key}: "${value}"`),
      stateAddress: observed.stateAddress ?? deriveInputAddress(input, namespace),
      passphraseSecret: input.state.encryption.secretRef.name,
      stateSecret: input.state.credentialsSecretRef.name,
      b2Secret: input.backup.credentialsSecretRef.name,
    });
    return status !== 'False' || isPaused(workspace) ? [] : [{ workspace, namespace, reason, message }];
  });
}

function deriveInputAddress({ state: { endpoint, bucket, key } }: Input, namespace: string): string {
  return deriveStateAddress({ endpoint, bucket, key, workspaceKeyPrefix: namespace, workspace: WORKSPACE_NAME });
}
