/** The commands that a plan tells, as docs/runbooks/pause.md and teardown.md have them. */
import { WORKSPACE_NAME } from '../intent/names.ts';
import type { Step } from './plan.ts';

/** Resources by their full names: other groups have kinds of the same name. */
export const SHORT = {
  xr: `tofuworkspaces.platform.kueber.eu/${WORKSPACE_NAME}`,
  workspace: `workspaces.opentofu.m.upbound.io/${WORKSPACE_NAME}`,
} as const;

/** All but Delete, one of the combinations that Crossplane takes. */
export const KEPT_POLICIES = ['Observe', 'Create', 'Update', 'LateInitialize'] as const;

export function patchPolicies(namespace: string): string {
  const patch = JSON.stringify({ spec: { managementPolicies: KEPT_POLICIES } });
  return `kubectl -n ${namespace} patch ${SHORT.workspace} --type=merge -p '${patch}'`;
}

export function printPolicies(namespace: string): string {
  return `kubectl -n ${namespace} get ${SHORT.workspace} -o jsonpath='{.spec.managementPolicies}'`;
}

/** @param finalizers all that stay */
export function patchFinalizers(namespace: string, finalizers: readonly string[]): string {
  const patch = JSON.stringify({ metadata: { finalizers } });
  return `kubectl -n ${namespace} patch ${SHORT.workspace} --type=merge -p '${patch}'`;
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
