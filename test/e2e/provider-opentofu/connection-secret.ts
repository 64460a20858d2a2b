/** The Secret that holds a Workspace's outputs, as crossplane-runtime publishes it. */
import { controllerReference, nameOf, type Secret, type Workspace } from './api.ts';
import type { Kubernetes } from './kubernetes.ts';
import type { ConnectionDetails } from './outputs.ts';
import { within } from './step.ts';

const TYPE = 'connection.crossplane.io/v1alpha1';

/** Nothing is taken away from one that exists: values are merged into it. Without outputs it is made empty. */
export async function publishConnection(
  kubernetes: Kubernetes,
  workspace: Workspace,
  details: ConnectionDetails,
): Promise<void> {
  const reference = workspace.spec.writeConnectionSecretToRef;
  if (reference === undefined) return;
  const { namespace } = nameOf(workspace);
  const secret = composeConnectionSecret(workspace, reference.name, details);
  const current = await kubernetes.findSecret({ name: reference.name, namespace });
  if (current === undefined) {
    const created = within('cannot create object', kubernetes.createSecret(secret));
    await within('cannot create or update connection secret', created);
    return;
  }
  const fault = findControlFault(current, workspace.metadata.uid);
  if (fault !== undefined) throw new Error(`cannot create or update connection secret: ${fault}`);
  if (hasSameData(current, secret)) return;
  const patched = within('cannot patch object', kubernetes.mergeSecret(secret));
  await within('cannot create or update connection secret', patched);
}

export function composeConnectionSecret(workspace: Workspace, name: string, details: ConnectionDetails): Secret {
  const { namespace } = nameOf(workspace);
  const data = Object.fromEntries([...details].map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  return {
    metadata: { name, namespace, ownerReferences: [controllerReference(workspace)] },
    type: TYPE,
    ...(details.size === 0 ? {} : { data }),
  };
}

/** Why a Secret of this name may not be written; undefined where it may. */
export function findControlFault({ metadata, type }: Secret, uid: string): string | undefined {
  const controller = metadata.ownerReferences?.find(reference => reference.controller === true);
  if (controller === undefined)
    return type === TYPE ? undefined : `refusing to modify uncontrolled secret of type "${type}"`;
  return controller.uid === uid ? undefined : `existing secret is not controlled by UID "${uid}"`;
}

function hasSameData(current: Secret, wanted: Secret): boolean {
  const print = ({ data = {} }: Secret): string =>
    JSON.stringify(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return print(current) === print(wanted);
}
