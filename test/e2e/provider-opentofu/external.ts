/** What a Workspace stands for, once connected: its state in OpenTofu, and what exists by it. */
import type { OpenTofu } from '../../tofu/opentofu.ts';
import { isDeleted, type VarFile, type Workspace, type WorkspaceObservation } from './api.ts';
import type { Kubernetes } from './kubernetes.ts';
import { connectionDetailsOf, statusOutputsOf, type ConnectionDetails } from './outputs.ts';
import { variableOptions, writeRunFile, type Variables } from './run-files.ts';
import { within } from './step.ts';

export interface Observation {
  /** Anything in state, outputs included. */
  readonly exists: boolean;
  readonly upToDate: boolean;
  readonly atProvider: WorkspaceObservation;
  readonly connectionDetails: ConnectionDetails;
}

export type Applied = Pick<Observation, 'atProvider' | 'connectionDetails'>;

export class External {
  readonly #kubernetes: Kubernetes;
  readonly #tofu: OpenTofu;

  constructor(kubernetes: Kubernetes, tofu: OpenTofu) {
    this.#kubernetes = kubernetes;
    this.#tofu = tofu;
  }

  async observe(workspace: Workspace): Promise<Observation> {
    const differs = await this.#plan(workspace);
    const resources = await within('cannot list tofu resources', this.#tofu.resources());
    if (isDeleted(workspace) && resources.length === 0)
      await within('cannot delete tofu workspace', this.#tofu.deleteCurrentWorkspace());
    const outputs = await within('cannot list tofu outputs', this.#tofu.outputs());
    const checksum = await within('cannot calculate workspace checksum', this.#tofu.checksum());
    return {
      exists: resources.length + outputs.length > 0,
      upToDate: !differs,
      atProvider: { checksum, outputs: statusOutputsOf(outputs) },
      connectionDetails: connectionDetailsOf(outputs),
    };
  }

  /** The checksum is left out, so that the next reconcile runs init again. */
  async apply(workspace: Workspace): Promise<Applied> {
    const args = await this.#variables(workspace);
    const { applyArgs = [] } = workspace.spec.forProvider;
    await within('cannot apply tofu configuration', this.#tofu.apply([...args, ...applyArgs]));
    const outputs = await within('cannot list tofu outputs', this.#tofu.outputs());
    return { atProvider: { outputs: statusOutputsOf(outputs) }, connectionDetails: connectionDetailsOf(outputs) };
  }

  async destroy(workspace: Workspace): Promise<void> {
    const args = await this.#variables(workspace);
    const { destroyArgs = [] } = workspace.spec.forProvider;
    await within('cannot destroy tofu configuration', this.#tofu.destroy([...args, ...destroyArgs]));
  }

  /** A plan that fails counts as one without changes once the Workspace is deleted: the destroy has to say it. */
  async #plan(workspace: Workspace): Promise<boolean> {
    const args = await this.#variables(workspace);
    const { planArgs = [] } = workspace.spec.forProvider;
    const plan = within('cannot diff (i.e. plan) tofu configuration', this.#tofu.plan([...args, ...planArgs]));
    try {
      return (await plan).differs;
    } catch (error) {
      if (!isDeleted(workspace)) throw error;
      return false;
    }
  }

  async #variables({ metadata, spec }: Workspace): Promise<readonly string[]> {
    const { varFiles = [] } = spec.forProvider;
    const read = (file: VarFile): Promise<Variables> => this.#readVariables(file, metadata.namespace ?? '');
    const all = await within(
      'cannot determine tofu options',
      within('cannot get tfvars', Promise.all(varFiles.map(read))),
    );
    const { args, files } = variableOptions(this.#tofu.folder, spec.forProvider, all);
    for (const file of files) await writeRunFile(file);
    return args;
  }

  /** A key that is missing is an empty file. */
  async #readVariables({ source, format = 'HCL', ...from }: VarFile, namespace: string): Promise<Variables> {
    const reference = source === 'ConfigMapKey' ? from.configMapKeyRef : from.secretKeyRef;
    if (reference === undefined) throw new Error(`a variable file from a ${source} names none`);
    const { name, key } = reference;
    const found =
      source === 'ConfigMapKey'
        ? (await this.#kubernetes.readConfigMap({ name, namespace })).get(key)
        : (await this.#kubernetes.readSecret({ name, namespace })).get(key);
    return { format, content: found ?? '' };
  }
}
