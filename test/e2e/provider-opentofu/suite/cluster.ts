/** The API server as the tests use it. */
import { KubeConfig, KubernetesObjectApi, PatchStrategy, type KubernetesObject } from '@kubernetes/client-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { API_VERSION, type Kind, type ProviderConfig, type ProviderConfigUsage, type Workspace } from '../api.ts';
import type { Condition } from '../conditions.ts';

// On a busy machine a run of OpenTofu takes many times what it does alone.
const WAIT_MS = 600_000;

interface Objects {
  readonly Workspace: Workspace;
  readonly ProviderConfig: ProviderConfig;
  readonly ClusterProviderConfig: ProviderConfig;
  readonly ProviderConfigUsage: ProviderConfigUsage;
}

type Fields = Readonly<Record<string, unknown>>;

/** One namespace of the API server. */
export class Namespace {
  static #count = 0;
  readonly name: string;
  readonly #api: KubernetesObjectApi;

  private constructor(name: string) {
    const config = new KubeConfig();
    config.loadFromFile(inject('kubeconfig'));
    this.#api = KubernetesObjectApi.makeApiClient(config);
    this.name = name;
  }

  /** A new one. */
  static async create(): Promise<Namespace> {
    Namespace.#count += 1;
    const namespace = new Namespace(`test-${process.pid}-${Namespace.#count}`);
    await namespace.#api.create(objectOf('v1', 'Namespace', { name: namespace.name }));
    return namespace;
  }

  /** Every Workspace of the cluster, without regard to what it stands for: the next provider must not find it. */
  static async forgetWorkspaces(): Promise<void> {
    const { items } = await new Namespace('').#api.list(API_VERSION, 'Workspace');
    for (const { metadata } of items) {
      const namespace = new Namespace(metadata?.namespace ?? '');
      const name = metadata?.name ?? '';
      await namespace.merge('Workspace', name, { metadata: { finalizers: null } });
      if ((await namespace.find('Workspace', name)) !== undefined) await namespace.delete('Workspace', name);
    }
  }

  async pauseWorkspaces(): Promise<void> {
    const { items } = await this.#api.list(API_VERSION, 'Workspace', this.name);
    for (const { metadata } of items)
      await this.merge('Workspace', metadata?.name ?? '', {
        metadata: { annotations: { 'crossplane.io/paused': 'true' } },
      });
  }

  /** Without a namespace controller it stays, and terminates for ever. */
  async terminate(): Promise<void> {
    await this.#api.delete(objectOf('v1', 'Namespace', { name: this.name }));
  }

  async create(kind: Kind, name: string, content: Fields): Promise<void> {
    const metadata = { ...(content.metadata as Fields | undefined), ...this.#at(name) };
    await this.#api.create(objectOf(API_VERSION, kind, metadata, content));
  }

  async createSecret(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
    await this.#api.create(objectOf('v1', 'Secret', this.#at(name), { stringData }));
  }

  async find<K extends Kind>(kind: K, name: string): Promise<Objects[K] | undefined> {
    return (await this.#find(objectOf(API_VERSION, kind, this.#at(name)))) as Objects[K] | undefined;
  }

  async get<K extends Kind>(kind: K, name: string): Promise<Objects[K]> {
    const found = await this.find(kind, name);
    if (found === undefined) throw new Error(`there is no ${kind} ${this.name}/${name}`);
    return found;
  }

  /** Its values, decoded; undefined where there is none. */
  async findSecret(
    name: string,
  ): Promise<{ readonly object: KubernetesObject; readonly data: Readonly<Record<string, string>> } | undefined> {
    const object = await this.#find(objectOf('v1', 'Secret', this.#at(name)));
    if (object === undefined) return undefined;
    const { data = {} } = object as { readonly data?: Readonly<Record<string, string>> };
    const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]);
    return { object, data: Object.fromEntries(decoded) as Record<string, string> };
  }

  async merge(kind: Kind, name: string, patch: Fields): Promise<void> {
    const metadata = { ...(patch.metadata as Fields | undefined), ...this.#at(name) };
    const body = objectOf(API_VERSION, kind, metadata, patch);
    await this.#api.patch(body, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
  }

  async delete(kind: Kind, name: string): Promise<void> {
    await this.#api.delete(objectOf(API_VERSION, kind, this.#at(name)));
  }

  condition(type: string, { status }: Workspace | ProviderConfig): Condition | undefined {
    return status?.conditions?.find(condition => condition.type === type);
  }

  /** The Workspace, once its condition is as wanted and what else is asked for holds. */
  async workspace(
    name: string,
    what: string,
    holds: (workspace: Workspace) => boolean | Promise<boolean>,
  ): Promise<Workspace> {
    return eventually(
      `Workspace ${name} ${what}`,
      async () => {
        const workspace = await this.get('Workspace', name);
        return (await holds(workspace)) ? workspace : undefined;
      },
      async () => (await this.find('Workspace', name))?.status,
    );
  }

  async synced(name: string, message: RegExp): Promise<Workspace> {
    return this.workspace(name, `says ${String(message)}`, workspace =>
      message.test(this.condition('Synced', workspace)?.message ?? ''),
    );
  }

  /** Applied at its newest generation, and as desired. */
  async ready(name: string): Promise<Workspace> {
    return this.workspace(name, 'is ready', workspace => {
      const synced = this.condition('Synced', workspace);
      return (
        synced?.status === 'True' &&
        synced.observedGeneration === workspace.metadata.generation &&
        this.condition('Ready', workspace)?.status === 'True'
      );
    });
  }

  async gone(kind: Kind, name: string): Promise<void> {
    await eventually(
      `${kind} ${name} is gone`,
      async () => ((await this.find(kind, name)) === undefined ? true : undefined),
      async () => this.find(kind, name),
    );
  }

  #at(name: string): { readonly name: string; readonly namespace: string } {
    return { name, namespace: this.name };
  }

  async #find(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    try {
      return await this.#api.read(object as never);
    } catch (error) {
      if ((error as { readonly code?: number }).code === 404) return undefined;
      throw error;
    }
  }
}

/** The client wants instances of its classes, and serialises whatever has their fields. */
function objectOf(apiVersion: string, kind: string, metadata: Fields, content: Fields = {}): KubernetesObject {
  const object: unknown = { apiVersion, kind, ...content, metadata };
  return object as KubernetesObject;
}

/** Asks until there is an answer. @throws Error that says what did not come, and how it is instead */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  instead: () => unknown = () => undefined,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`it did not come that ${what}: ${JSON.stringify(await instead())}`);
    await sleep(200);
  }
}
