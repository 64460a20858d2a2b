/** One turn of a ProviderConfig: it stays while it is used (crossplane-runtime, pkg/reconciler/providerconfig). */
import type { Logger } from 'pino';
import {
  PROVIDER_CONFIG_FINALIZER,
  USAGE_LABEL,
  isDeleted,
  nameOf,
  type ObjectName,
  type ProviderConfig,
} from './api.ts';
import { setConditions, terminating } from './conditions.ts';
import type { Kubernetes } from './kubernetes.ts';
import { DONE, type Requeue } from './work-queue.ts';

export type ProviderConfigKind = 'ProviderConfig' | 'ClusterProviderConfig';

export class ProviderConfigReconciler {
  readonly #kubernetes: Kubernetes;
  readonly #kind: ProviderConfigKind;
  readonly #log: Logger;

  constructor(kubernetes: Kubernetes, kind: ProviderConfigKind, log: Logger) {
    this.#kubernetes = kubernetes;
    this.#kind = kind;
    this.#log = log;
  }

  async reconcile(name: ObjectName): Promise<Requeue> {
    const config = await this.#kubernetes.find(this.#kind, name);
    if (config === undefined) return DONE;
    const users = await this.#countUsers(config);
    if (!isDeleted(config)) {
      await this.#writeUsers(await this.#setFinalizer(config, true), users);
      return DONE;
    }
    if (users === 0) {
      await this.#setFinalizer(config, false);
      this.#log.info({ ...name, kind: this.#kind }, 'finalizer removed');
      return DONE;
    }
    // A usage that goes asks for the next turn.
    const { conditions = [] } = config.status ?? {};
    const blocked = setConditions(conditions, [terminating('Blocking deletion while usages still exist')], new Date());
    await this.#writeUsers({ ...config, status: { ...config.status, conditions: blocked } }, users);
    return DONE;
  }

  /** A usage without a controller is stale, or is made again with the next connect. */
  async #countUsers({ metadata: { name, namespace } }: ProviderConfig): Promise<number> {
    const { items } = await this.#kubernetes.list('ProviderConfigUsage');
    const usages = items.filter(
      ({ metadata }) =>
        metadata.labels?.[USAGE_LABEL.name] === name &&
        metadata.labels[USAGE_LABEL.kind] === this.#kind &&
        (namespace === undefined || metadata.namespace === namespace),
    );
    const controlled = usages.filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ controller }) => controller === true),
    );
    for (const usage of usages)
      if (!controlled.includes(usage)) await this.#kubernetes.delete('ProviderConfigUsage', nameOf(usage));
    return controlled.length;
  }

  async #setFinalizer(config: ProviderConfig, present: boolean): Promise<ProviderConfig> {
    const { finalizers = [] } = config.metadata;
    if (finalizers.includes(PROVIDER_CONFIG_FINALIZER) === present) return config;
    const others = finalizers.filter(finalizer => finalizer !== PROVIDER_CONFIG_FINALIZER);
    const wanted = present ? [...others, PROVIDER_CONFIG_FINALIZER] : others;
    return this.#kubernetes.replace(this.#kind, { ...config, metadata: { ...config.metadata, finalizers: wanted } });
  }

  async #writeUsers(config: ProviderConfig, users: number): Promise<void> {
    await this.#kubernetes.replaceStatus(this.#kind, { ...config, status: { ...config.status, users } });
  }
}
