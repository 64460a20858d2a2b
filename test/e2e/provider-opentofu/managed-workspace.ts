/** One Workspace during a reconcile: what was read, what is changed of it, and how that is written. */
import {
  ANNOTATION,
  WORKSPACE_FINALIZER,
  type Metadata,
  type Workspace,
  type WorkspaceObservation,
  type WorkspaceStatus,
} from './api.ts';
import { AVAILABLE, setConditions, type NewCondition } from './conditions.ts';
import { isConflict, isNotFound, wrap, type Kubernetes } from './kubernetes.ts';
import { within } from './step.ts';

const ATTEMPTS = 5;

export class ManagedWorkspace {
  readonly #kubernetes: Kubernetes;
  #object: Workspace;

  constructor(kubernetes: Kubernetes, object: Workspace) {
    this.#kubernetes = kubernetes;
    this.#object = object;
  }

  get object(): Workspace {
    return this.#object;
  }

  /** With the generation that was observed, as crossplane-runtime does for the conditions that it sets. */
  mark(...conditions: readonly NewCondition[]): void {
    const { generation } = this.#object.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    this.#setConditions(conditions.map(condition => ({ ...condition, ...observed })));
  }

  /** Without one: provider-opentofu sets this condition itself. */
  markAvailable(): void {
    this.#setConditions([AVAILABLE]);
  }

  observe(atProvider: WorkspaceObservation): void {
    this.#changeStatus({ atProvider });
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.#changeMetadata({ annotations: { ...this.#object.metadata.annotations, ...annotations } });
  }

  /** What was changed of the status and not written is lost with it: the API server answers with its own. */
  async update(): Promise<void> {
    this.#object = await this.#kubernetes.replace('Workspace', this.#object);
  }

  async updateStatus(): Promise<void> {
    this.#object = await this.#kubernetes.replaceStatus('Workspace', this.#object);
  }

  /** Annotations that must not get lost: over a newer version too. */
  async updateAnnotations(): Promise<void> {
    const { annotations = {} } = this.#object.metadata;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.update();
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !isConflict(error)) throw wrap(error, 'cannot update critical annotations');
        this.#object = await this.#kubernetes.get('Workspace', this.#name);
        this.annotate(annotations);
      }
    }
  }

  async nameExternally(): Promise<void> {
    if ((this.#object.metadata.annotations?.[ANNOTATION.externalName] ?? '') !== '') return;
    this.annotate({ [ANNOTATION.externalName]: this.#object.metadata.name });
    await within('cannot update managed resource', this.update());
  }

  async addFinalizer(): Promise<void> {
    const { finalizers = [] } = this.#object.metadata;
    if (finalizers.includes(WORKSPACE_FINALIZER)) return;
    this.#changeMetadata({ finalizers: [...finalizers, WORKSPACE_FINALIZER] });
    await within('cannot update object', this.update());
  }

  async removeFinalizer(): Promise<void> {
    const { finalizers = [] } = this.#object.metadata;
    if (!finalizers.includes(WORKSPACE_FINALIZER)) return;
    this.#changeMetadata({ finalizers: finalizers.filter(finalizer => finalizer !== WORKSPACE_FINALIZER) });
    try {
      await within('cannot update object', this.update());
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  get #name(): { readonly name: string; readonly namespace: string } {
    const { name, namespace = '' } = this.#object.metadata;
    return { name, namespace };
  }

  #setConditions(conditions: readonly NewCondition[]): void {
    this.#changeStatus({ conditions: setConditions(this.#object.status?.conditions ?? [], conditions, new Date()) });
  }

  #changeStatus(status: WorkspaceStatus): void {
    this.#object = { ...this.#object, status: { ...this.#object.status, ...status } };
  }

  #changeMetadata(metadata: Partial<Metadata>): void {
    this.#object = { ...this.#object, metadata: { ...this.#object.metadata, ...metadata } };
  }
}
