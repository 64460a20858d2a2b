/** What the harness can do with a cluster that it has started itself. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** False on a cluster that somebody else runs: its API server and registry are not ours to stop. */
export const OWN_CLUSTER = process.env['E2E_OWN_CLUSTER'] === '1';

export type Part = 'kube-apiserver' | 'registry' | 'provider-opentofu';

export function control(action: 'start' | 'stop' | 'kill', part: Part): void {
  execFileSync(join(import.meta.dirname, '../cluster/control.sh'), [action, part], { stdio: 'inherit' });
}
