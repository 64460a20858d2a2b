/** The commands that a plan tells, as docs/runbooks/pause.md and teardown.md have them. */
import { WORKSPACE_NAME } from '../intent/names.ts';
import { isPaused } from './objects.ts';
import type { Step } from './plan.ts';
import type { Situation } from './situation.ts';

/** Resources by their full names: other groups have kinds of the same name. */
export const SHORT = {
  xr: `tofuworkspaces.platform.kueber.eu/${WORKSPACE_NAME}`,
  workspace: `workspaces.opentofu.m.upbound.io/${WORKSPACE_NAME}`,
} as const;

/** @param patch as JSON */
export function patchWorkspace(namespace: string, patch: string): string {
  return `kubectl -n ${namespace} patch ${SHORT.workspace} --type=merge -p '${patch}'`;
}

export function printPolicies(namespace: string): string {
  return `kubectl -n ${namespace} get ${SHORT.workspace} -o jsonpath='{.spec.managementPolicies}'`;
}

export function printModule(namespace: string): string {
  return `kubectl -n ${namespace} get ${SHORT.workspace} -o jsonpath='{.spec.forProvider.module}'`;
}

export function pause(namespace: string): Step {
  return {
    kind: 'run',
    title: 'Pause both, so that there is time to read (docs/runbooks/pause.md)',
    commands: [
      `kubectl -n ${namespace} annotate --overwrite --field-manager=flux-client-side-apply ${SHORT.xr} crossplane.io/paused=true`,
      `kubectl -n ${namespace} annotate --overwrite ${SHORT.workspace} crossplane.io/paused=true`,
    ],
  };
}

/** @param expected what the module must say, as the end of "it must have …" */
export function unpause(namespace: string, expected: string): readonly Step[] {
  return [
    {
      kind: 'run',
      title: 'Once Flux has applied it, unpause the TofuWorkspace and read the new module, which nothing applies yet',
      commands: [`kubectl -n ${namespace} annotate ${SHORT.xr} crossplane.io/paused-`, printModule(namespace)],
    },
    {
      kind: 'run',
      title: `It must have ${expected}. Then unpause the Workspace`,
      commands: [`kubectl -n ${namespace} annotate ${SHORT.workspace} crossplane.io/paused-`],
    },
  ];
}

/** Paused, it would hang Terminating. */
export function unpauseForDeletion({ objects, sources: { namespace } }: Situation): readonly Step[] {
  const paused = [
    ...(isPaused(objects.xr) ? [SHORT.xr] : []),
    ...(isPaused(objects.workspace?.object) ? [SHORT.workspace] : []),
  ];
  if (paused.length === 0) return [];
  return [
    {
      kind: 'run',
      title: 'Unpause: a paused object is not deleted',
      commands: paused.map(name => `kubectl -n ${namespace} annotate ${name} crossplane.io/paused-`),
    },
  ];
}
