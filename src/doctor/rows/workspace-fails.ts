import { NAMESPACE, pauseFirst, WORKSPACES } from '../commands.ts';
import { count, inCluster } from '../look.ts';
import { isBeingDeleted } from '../namespaces.ts';
import { ofObject, type Fix, type Row } from '../row.ts';
import { findFailures } from '../workspace-failure.ts';

/** Each has a row of its own, which says more. */
const ELSEWHERE = new Set(['BackendInitFailed', 'BucketExists', 'SecretMissing']);

function fixesFor(namespace: string, reason: string): readonly Fix[] {
  return [
    pauseFirst(namespace),
    {
      does: `Do what docs/failure-modes.md says at ${reason}, under "OpenTofu fails"; docs/debugging-a-workspace.md leads from an error to its block.`,
      commands: [`kubectl -n ${namespace} describe ${WORKSPACES} workspace`],
    },
  ];
}

export const workspaceFails: Row = {
  id: 'workspace-fails',
  symptom: 'OpenTofu fails in a Workspace',
  seam: 'Crossplane ↔ provider',
  happened: 'Its last run ended with an error; the reason says which layer to look at',
  lookAt: '`WorkspaceApplied` of the TofuWorkspace, `Synced` of the Workspace',
  fixes: fixesFor(NAMESPACE, 'this reason'),
  look: sources =>
    inCluster(sources, ['Workspace'], ({ Workspace }) => ({
      problems: findFailures(
        Workspace.filter(workspace => !isBeingDeleted(workspace)),
        sources.input,
      )
        .filter(({ reason }) => !ELSEWHERE.has(reason))
        .map(({ workspace, namespace, reason, message }) => ({
          kind: 'broken',
          evidence: ofObject(workspace),
          found: `${reason}: ${message}`,
          fixes: fixesFor(namespace, reason),
        })),
      looked: `${count(Workspace.length, 'Workspace')}, none fails in another way than the rows above name`,
    })),
};
