/** Commands that more than one row tells people to run, as the runbooks have them. */
import type { Fix } from './row.ts';

export const WORKSPACES = 'workspaces.opentofu.m.upbound.io';
export const TOFU_WORKSPACES = 'tofuworkspaces.platform.kueber.eu';

/** Stands for a name in the page. */
export const NAMESPACE = 'NAMESPACE';
export const BUCKET = 'BUCKET';

/** A word of a command that people copy: names in a Schedule are whatever its author wrote. */
export function quoteShell(word: string): string {
  return /^[\w.\/:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function pauseWorkspace(namespace: string, name = 'workspace'): string {
  return `kubectl -n ${namespace} annotate --overwrite ${WORKSPACES}/${name} crossplane.io/paused=true`;
}

export function unpauseWorkspace(namespace: string, name = 'workspace'): string {
  return `kubectl -n ${namespace} annotate ${WORKSPACES}/${name} crossplane.io/paused-`;
}

/** @param patch as JSON */
export function patchWorkspace(namespace: string, patch: string, name = 'workspace'): string {
  return `kubectl -n ${namespace} patch ${WORKSPACES} ${name} --type=merge -p '${patch}'`;
}

export function unpauseTofuWorkspace(namespace: string, name = 'workspace'): string {
  return `kubectl -n ${namespace} annotate ${TOFU_WORKSPACES}/${name} crossplane.io/paused-`;
}

/** The first step of every runbook: while both are paused nothing is composed and OpenTofu does not run. */
export function pauseFirst(namespace: string): Fix {
  return {
    does: `Pause first, the TofuWorkspace and the Workspace (docs/runbooks/pause.md): a mistake then changes nothing.`,
    commands: [
      `kubectl -n ${namespace} annotate --overwrite --field-manager=flux-client-side-apply ${TOFU_WORKSPACES}/workspace crossplane.io/paused=true`,
      pauseWorkspace(namespace),
    ],
  };
}

/** Of every namespace. */
export const PAUSE_ALL: Fix = {
  does: 'Pause all of them first (docs/runbooks/pause.md): an apply into the wrong state is worse than none.',
  commands: [
    `kubectl annotate --all --all-namespaces --overwrite --field-manager=flux-client-side-apply ${TOFU_WORKSPACES} crossplane.io/paused=true`,
    `kubectl annotate --all --all-namespaces --overwrite ${WORKSPACES} crossplane.io/paused=true`,
  ],
};
