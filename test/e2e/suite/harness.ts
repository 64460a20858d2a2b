/** What the harness can do with a cluster that it has started itself. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** False on a cluster that somebody else runs: its API server and registry are not ours to stop. */
export const OWN_CLUSTER = process.env['E2E_OWN_CLUSTER'] === '1';

/** Where test/e2e/run.sh has put the registry. */
const REGISTRY_PORT = '5000';

export function killApiServer(): void {
  control('kill', 'kube-apiserver');
}

export function startApiServer(): void {
  control('start', 'kube-apiserver');
}

/** It runs on, and whoever connects to it is refused: it keeps what it holds in memory. */
export function hideRegistry(): void {
  control('hide', REGISTRY_PORT);
}

export function showRegistry(): void {
  control('show', REGISTRY_PORT);
}

function control(...args: readonly string[]): void {
  execFileSync(join(import.meta.dirname, '../cluster/control.sh'), args, { stdio: 'inherit' });
}
