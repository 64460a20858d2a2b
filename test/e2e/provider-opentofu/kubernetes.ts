/** The API server: errors as Go's client words them, and the calls that the controllers make. */
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  V1Secret,
  setHeaderOptions,
  type KubeConfig,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import {
  GROUP,
  KINDS,
  VERSION,
  type ApiObject,
  type Kind,
  type ObjectName,
  type ProviderConfig,
  type ProviderConfigUsage,
  type Secret,
  type Workspace,
} from './api.ts';

/** What the API server answered instead of an object. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** As Go's error wrapping prints it. */
export function wrap(error: unknown, text: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError) return new ApiError(error.code, `${text}: ${message}`, { cause: error });
  return new Error(`${text}: ${message}`, { cause: error });
}

interface Objects {
  readonly Workspace: Workspace;
  readonly ProviderConfig: ProviderConfig;
  readonly ClusterProviderConfig: ProviderConfig;
  readonly ProviderConfigUsage: ProviderConfigUsage;
}

export interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

/** What is to be created: no uid yet. */
export type NewObject<T extends ApiObject> = Omit<T, 'metadata'> & { readonly metadata: Omit<T['metadata'], 'uid'> };

const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

export class Kubernetes {
  readonly #objects: CustomObjectsApi;
  readonly #core: CoreV1Api;
  readonly #signal: AbortSignal;

  /** @param signal after its abort every call throws: a controller that ends writes nothing any more, as in Go */
  constructor(config: KubeConfig, signal: AbortSignal) {
    this.#signal = signal;
    this.#objects = config.makeApiClient(CustomObjectsApi);
    this.#core = config.makeApiClient(CoreV1Api);
  }

  /**
   * The provider reads through the cache of its informers, whose "not found" names kind and group instead of the resource.
   * @throws ApiError
   */
  async get<K extends Kind>(kind: K, name: ObjectName): Promise<Objects[K]> {
    const found = await this.find(kind, name);
    if (found === undefined) throw new ApiError(404, `${kind}.${GROUP} "${name.name}" not found`);
    return found;
  }

  async find<K extends Kind>(kind: K, name: ObjectName): Promise<Objects[K] | undefined> {
    const at = { ...whereOf(kind), name: name.name };
    return this.#ifFound(() =>
      name.namespace === ''
        ? this.#objects.getClusterCustomObject(at)
        : this.#objects.getNamespacedCustomObject({ ...at, namespace: name.namespace }),
    );
  }

  async list<K extends Kind>(kind: K): Promise<ObjectList<Objects[K]>> {
    return await this.#answer(() => this.#objects.listClusterCustomObject(whereOf(kind)));
  }

  async create<K extends Kind>(kind: K, object: NewObject<Objects[K]>): Promise<void> {
    const namespace = object.metadata.namespace ?? '';
    await this.#answer(() => this.#objects.createNamespacedCustomObject({ ...whereOf(kind), namespace, body: object }));
  }

  async replace<K extends Kind>(kind: K, object: Objects[K]): Promise<Objects[K]> {
    const at = { ...whereOf(kind), name: object.metadata.name, body: object };
    const { namespace } = object.metadata;
    return await this.#answer(() =>
      namespace === undefined
        ? this.#objects.replaceClusterCustomObject(at)
        : this.#objects.replaceNamespacedCustomObject({ ...at, namespace }),
    );
  }

  async replaceStatus<K extends Kind>(kind: K, object: Objects[K]): Promise<Objects[K]> {
    const at = { ...whereOf(kind), name: object.metadata.name, body: object };
    const { namespace } = object.metadata;
    return await this.#answer(() =>
      namespace === undefined
        ? this.#objects.replaceClusterCustomObjectStatus(at)
        : this.#objects.replaceNamespacedCustomObjectStatus({ ...at, namespace }),
    );
  }

  async delete(kind: Kind, { name, namespace }: ObjectName): Promise<void> {
    await this.#ifFound(() => this.#objects.deleteNamespacedCustomObject({ ...whereOf(kind), namespace, name }));
  }

  async findSecret({ name, namespace }: ObjectName): Promise<Secret | undefined> {
    return this.#ifFound(() => this.#core.readNamespacedSecret({ name, namespace }));
  }

  /** Its values, decoded. @throws ApiError */
  async readSecret(name: ObjectName): Promise<ReadonlyMap<string, Buffer>> {
    const secret = await this.findSecret(name);
    if (secret === undefined) throw new ApiError(404, `Secret "${name.name}" not found`);
    return new Map(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64')]));
  }

  /** @throws ApiError */
  async readConfigMap({ name, namespace }: ObjectName): Promise<ReadonlyMap<string, string>> {
    const found = await this.#ifFound<V1ConfigMap>(() => this.#core.readNamespacedConfigMap({ name, namespace }));
    if (found === undefined) throw new ApiError(404, `ConfigMap "${name}" not found`);
    return new Map(Object.entries(found.data ?? {}));
  }

  async createSecret(secret: Secret): Promise<void> {
    const { namespace } = secret.metadata;
    const body = Object.assign(new V1Secret(), secret);
    await this.#answer(() => this.#core.createNamespacedSecret({ namespace, body }));
  }

  async mergeSecret(secret: Secret): Promise<void> {
    const { name, namespace } = secret.metadata;
    await this.#answer(() => this.#core.patchNamespacedSecret({ name, namespace, body: secret }, MERGE));
  }

  /** The client types custom objects as anything; the API server has validated them against the CRD. */
  async #answer<T>(call: () => Promise<unknown>): Promise<T> {
    this.#signal.throwIfAborted();
    try {
      return (await call()) as T;
    } catch (error) {
      throw error instanceof ApiException ? new ApiError(error.code, messageOf(error), { cause: error }) : error;
    }
  }

  async #ifFound<T>(call: () => Promise<unknown>): Promise<T | undefined> {
    try {
      return await this.#answer<T>(call);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function whereOf(kind: Kind): { readonly group: string; readonly version: string; readonly plural: string } {
  return { group: GROUP, version: VERSION, plural: KINDS[kind].plural };
}

/** The message of the Status that the API server sent. */
function messageOf({ body, message }: ApiException<unknown>): string {
  if (typeof body !== 'string') return message;
  try {
    const status: unknown = JSON.parse(body);
    if (typeof status === 'object' && status !== null && 'message' in status) return String(status.message);
  } catch {
    // A proxy answered, or the connection broke off: what the client says has to do.
  }
  return message;
}
