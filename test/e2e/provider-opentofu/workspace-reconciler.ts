/**
 * One turn of a Workspace, as the reconciler of managed resources in crossplane-runtime 2.0 does it: the same order, the
 * same conditions, the same texts (pkg/reconciler/managed/reconciler.go).
 */
import type { Logger } from 'pino';
import { ANNOTATION, isDeleted, type ObjectName } from './api.ts';
import {
  CREATING,
  DELETING,
  RECONCILE_PAUSED,
  RECONCILE_SUCCESS,
  reconcileError,
  type NewCondition,
} from './conditions.ts';
import { publishConnection } from './connection-secret.ts';
import type { Connector } from './connector.ts';
import { CREATE_INCOMPLETE, creationTime, isCreationIncomplete, isCreationRecent } from './creation.ts';
import type { External, Observation } from './external.ts';
import { isConflict, type Kubernetes } from './kubernetes.ts';
import { ManagedWorkspace } from './managed-workspace.ts';
import { ManagementPolicies } from './management-policies.ts';
import { AGAIN, DONE, type Requeue } from './work-queue.ts';

export interface WorkspaceReconcilerOptions {
  readonly kubernetes: Kubernetes;
  readonly connector: Connector;
  readonly log: Logger;
  /** How long until a Workspace that is as desired is looked at again. */
  readonly nextPollMs: () => number;
  /** Of all tofu commands of one turn. */
  readonly timeoutMs: number;
  /** The provider ends. */
  readonly signal: AbortSignal;
}

/** Ends the turn: these conditions are written, and then it is as the requeue says. */
class Refusal extends Error {
  readonly conditions: readonly NewCondition[];
  readonly requeue: Requeue;

  constructor(message: string, conditions: readonly NewCondition[], requeue: Requeue = AGAIN) {
    super(message);
    this.conditions = [...conditions, reconcileError(message)];
    this.requeue = requeue;
  }
}

export class WorkspaceReconciler {
  readonly #options: WorkspaceReconcilerOptions;

  constructor(options: WorkspaceReconcilerOptions) {
    this.#options = options;
  }

  /** @throws Error where the API server can't be reached or a version was outdated: another turn then */
  async reconcile(name: ObjectName): Promise<Requeue> {
    const { kubernetes, log } = this.#options;
    const object = await kubernetes.find('Workspace', name);
    if (object === undefined) return DONE;
    const managed = new ManagedWorkspace(kubernetes, object);
    try {
      return await this.#turn(managed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      log.warn({ ...name, error: error.message }, 'refused');
      return await this.#end(managed, error.conditions, error.requeue);
    }
  }

  async #turn(managed: ManagedWorkspace): Promise<Requeue> {
    const policies = new ManagementPolicies(managed.object.spec.managementPolicies);
    const paused = managed.object.metadata.annotations?.[ANNOTATION.paused] === 'true';
    if (paused || policies.paused) return this.#end(managed, [RECONCILE_PAUSED], DONE);
    if (policies.fault !== undefined) throw new Refusal(policies.fault, [], DONE);
    // What it stands for stays, so that nothing has to be known of it: not even its ProviderConfig.
    if (isDeleted(managed.object) && !policies.allows('Delete')) return this.#letGo(managed);

    await attempt(managed.nameExternally());
    if (isCreationIncomplete(managed.object)) throw new Refusal(CREATE_INCOMPLETE, [CREATING], DONE);
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
    const external = await attempt(this.#options.connector.connect(managed.object, signal), 'connect failed');
    return this.#act(managed, external, policies);
  }

  async #act(managed: ManagedWorkspace, external: External, policies: ManagementPolicies): Promise<Requeue> {
    const observation = await attempt(external.observe(managed.object), 'observe failed');
    managed.observe(observation.atProvider);
    if (observation.upToDate) managed.markAvailable();
    if (!observation.exists && policies.onlyObserve)
      throw new Refusal('observe failed: external resource does not exist', []);
    if (!observation.exists && isCreationRecent(managed.object, new Date())) return AGAIN;
    if (isDeleted(managed.object)) return this.#delete(managed, external, observation);
    return this.#bringAbout(managed, external, { observation, policies });
  }

  async #delete(managed: ManagedWorkspace, external: External, { exists }: Observation): Promise<Requeue> {
    // Somebody else wants to finish something first.
    if ((managed.object.metadata.finalizers ?? []).length > 1) return AGAIN;
    if (!exists) return this.#letGo(managed);
    this.#log(managed, 'destroy');
    await attempt(external.destroy(managed.object), 'delete failed', [DELETING]);
    // The next turn sees that nothing is left.
    return this.#end(managed, [DELETING, RECONCILE_SUCCESS], AGAIN);
  }

  async #letGo(managed: ManagedWorkspace): Promise<Requeue> {
    await attempt(managed.removeFinalizer(), undefined, [DELETING]);
    this.#log(managed, 'finalizer removed');
    return DONE;
  }

  async #bringAbout(
    managed: ManagedWorkspace,
    external: External,
    { observation, policies }: { readonly observation: Observation; readonly policies: ManagementPolicies },
  ): Promise<Requeue> {
    await attempt(publishConnection(this.#options.kubernetes, managed.object, observation.connectionDetails));
    await attempt(managed.addFinalizer());
    if (!observation.exists && policies.allows('Create')) return this.#create(managed, external);
    if (observation.upToDate || !policies.allows('Update'))
      return this.#end(managed, [RECONCILE_SUCCESS], this.#poll());

    this.#log(managed, 'apply');
    const applied = await attempt(external.apply(managed.object), 'update failed');
    managed.observe(applied.atProvider);
    managed.markAvailable();
    await attempt(publishConnection(this.#options.kubernetes, managed.object, applied.connectionDetails));
    return this.#end(managed, [RECONCILE_SUCCESS], this.#poll());
  }

  /**
   * The first apply. It is announced before, and its end is written after; where that is missing, nobody goes on. What
   * it brought is told by the next turn.
   */
  async #create(managed: ManagedWorkspace, external: External): Promise<Requeue> {
    managed.annotate({ [ANNOTATION.createPending]: creationTime(new Date()) });
    await attempt(managed.update(), 'cannot update managed resource', [CREATING]);
    this.#log(managed, 'first apply');
    try {
      const { connectionDetails } = await external.apply(managed.object);
      managed.annotate({ [ANNOTATION.createSucceeded]: creationTime(new Date()) });
      await attempt(managed.updateAnnotations(), 'cannot update managed resource annotations', [CREATING]);
      await attempt(publishConnection(this.#options.kubernetes, managed.object, connectionDetails), undefined, [
        CREATING,
      ]);
    } catch (error) {
      if (error instanceof Refusal || isConflict(error)) throw error;
      managed.annotate({ [ANNOTATION.createFailed]: creationTime(new Date()) });
      await managed.updateAnnotations().catch((fault: unknown) => {
        this.#options.log.error({ fault }, 'the failure could not be written');
      });
      throw new Refusal(`create failed: ${messageOf(error)}`, [CREATING]);
    }
    return this.#end(managed, [CREATING, RECONCILE_SUCCESS], AGAIN);
  }

  async #end(managed: ManagedWorkspace, conditions: readonly NewCondition[], requeue: Requeue): Promise<Requeue> {
    managed.mark(...conditions);
    await managed.updateStatus();
    return requeue;
  }

  #poll(): Requeue {
    return { kind: 'after', ms: this.#options.nextPollMs() };
  }

  #log({ object: { metadata } }: ManagedWorkspace, doing: string): void {
    const { name, namespace, uid } = metadata;
    this.#options.log.info({ name, namespace, uid }, doing);
  }
}

/** @throws Refusal, or the conflict itself: it asks for another turn and is nothing to tell */
async function attempt<T>(step: Promise<T>, failed?: string, conditions: readonly NewCondition[] = []): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (isConflict(error)) throw error;
    const message = messageOf(error);
    throw new Refusal(failed === undefined ? message : `${failed}: ${message}`, conditions);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
