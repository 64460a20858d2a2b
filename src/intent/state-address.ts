import type { Input } from '../api/input.ts';
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import type { StateBackend } from './intent.ts';

/** Where this XR's state lives. The prefix is the namespace alone: two namespaces never share (field report 8). */
export function deriveStateBackend(input: Input, xr: TofuWorkspace): StateBackend {
  return {
    bucket: xr.spec.stateBucket ?? input.state.bucket,
    endpoint: input.state.endpoint,
    region: input.state.region,
    key: input.state.key,
    workspaceKeyPrefix: xr.namespace,
    workspace: xr.name,
    lockfile: input.state.lockfile,
  };
}

/** Parts of a state's address; region and locking change nothing about which object is read. */
export type StateLocation = Pick<StateBackend, 'endpoint' | 'bucket' | 'workspaceKeyPrefix' | 'workspace' | 'key'>;

/** One line that names a state object, as `spec.stateMigratedTo` repeats it. */
export function deriveStateAddress(location: StateLocation): string {
  const { endpoint, bucket, workspaceKeyPrefix, workspace, key } = location;
  return [endpoint.replace(/\/$/, ''), bucket, workspaceKeyPrefix, workspace, key].join('/');
}
