/** An app in a namespace of its own, as a team would declare it, and what is looked for in it. */
import { readPath, readStrings, type KubeObject } from '../../../src/kube.ts';
import { apply, find, get, list, merge, remove, type Fields } from './cluster.ts';
import { callWith } from './calls.ts';
import { eventually } from './eventually.ts';
import { namespaceReference, schedule, secret, tofuWorkspace, workspace } from './kinds.ts';

export const LABEL = 'crossplane-workspace';
/** The longest that the provider may need while the other tests run: init, plan and apply take minutes on a busy machine. */
export const APPLY_SECONDS = 900;
/** The longest until core reconciles: it puts off what has failed again and again for up to a minute, others wait before it. */
export const RECONCILE_SECONDS = 600;

/** What the homelab's Secret delivery puts into a namespace with the label. */
const DELIVERED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tofu-workspace-s3-credentials': { AWS_ACCESS_KEY_ID: 'e2e-access', AWS_SECRET_ACCESS_KEY: 'e2e-secret-access-key' },
  'tofu-workspace-b2-credentials': { B2_APPLICATION_KEY_ID: 'e2e-key-id', B2_APPLICATION_KEY: 'e2e-key' },
  'tofu-workspace-netbird-credentials': { NB_PAT: 'e2e-token' },
  'tofu-encryption': { passphrase: 'a passphrase that is long enough' },
};
export const DELIVERED_NAMES = Object.keys(DELIVERED);

export class App {
  readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** The namespace with its delivered Secrets. */
  async create(): Promise<void> {
    await apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: this.namespace, labels: { 'secrets.tofu-workspace': 'true', 'e2e.tofu-workspace': 'true' } },
    });
    await Promise.all(Object.entries(DELIVERED).map(([name, data]) => this.applySecret(name, data)));
  }

  applySecret(name: string, stringData: Readonly<Record<string, string>>, labels: Fields = {}): Promise<KubeObject> {
    const data = Object.fromEntries(
      Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    return this.#apply(['v1', 'Secret'], name, { labels }, { type: 'Opaque', data });
  }

  applyTofuWorkspace(spec: Fields = {}): Promise<KubeObject> {
    return this.#apply(['platform.kueber.eu/v1alpha1', 'TofuWorkspace'], 'workspace', {}, { spec });
  }

  /** A Schedule that reads the composed Secret, unless told of another. */
  applySchedule(
    name: string,
    bucket: string,
    { labels = { [LABEL]: 'true' }, credentials = `${bucket}-b2`, password = 'restic' } = {},
  ): Promise<KubeObject> {
    return this.applyScheduleWith(
      name,
      {
        repoPasswordSecretRef: { name: password, key: 'password' },
        s3: {
          endpoint: 'https://s3.eu-central-003.backblazeb2.com',
          bucket,
          accessKeyIDSecretRef: { name: credentials, key: 'ACCESS_KEY_ID' },
          secretAccessKeySecretRef: { name: credentials, key: 'SECRET_ACCESS_KEY' },
        },
      },
      labels,
    );
  }

  applyScheduleWith(name: string, backend: Fields, labels: Fields = { [LABEL]: 'true' }): Promise<KubeObject> {
    return this.#apply(
      ['k8up.io/v1', 'Schedule'],
      name,
      { labels },
      { spec: { backend, backup: { schedule: '@daily-random' } } },
    );
  }

  applyRoute(name: string, hostname: string): Promise<KubeObject> {
    const spec = { hostnames: [hostname], parentRefs: [{ name: 'gateway' }] };
    return this.#apply(['gateway.networking.k8s.io/v1', 'HTTPRoute'], name, { labels: { [LABEL]: 'true' } }, { spec });
  }

  #apply(
    [apiVersion, kind]: readonly [string, string],
    name: string,
    metadata: Fields,
    content: Fields,
  ): Promise<KubeObject> {
    return apply({ apiVersion, kind, metadata: { ...metadata, name, namespace: this.namespace }, ...content });
  }

  /** null takes it off. */
  labelSchedule(name: string, value: 'true' | null): Promise<KubeObject> {
    return merge(schedule(this.namespace, name), { metadata: { labels: { [LABEL]: value } } });
  }

  /** Changes the TofuWorkspace in a way that nothing is composed of, so that Crossplane reconciles it. */
  touch(value: string): Promise<KubeObject> {
    return merge(tofuWorkspace(this.namespace), { metadata: { annotations: { 'e2e/touched': value } } });
  }

  /**
   * Until what the function has last been seen to answer is applied, and its status written. Core runs one reconcile of a
   * TofuWorkspace at a time: when it calls again, it is done with the one before.
   */
  async lastAnswerApplied(): Promise<void> {
    const touched = Date.now();
    await this.touch(`${touched}`);
    await eventually('another call', () => callWith('settled', touched, this.namespace), RECONCILE_SECONDS);
  }

  /** For the message of a test that fails: core writes its events long after what they tell of. */
  async warnings(): Promise<string[]> {
    const events = await list('v1', 'Event', this.namespace);
    return events
      .filter(event => event['type'] === 'Warning')
      .map(event => `${String(event['lastTimestamp'])} ${String(event['message'])}`);
  }

  tofuWorkspace(): Promise<KubeObject> {
    return get(tofuWorkspace(this.namespace));
  }

  workspace(): Promise<KubeObject> {
    return get(workspace(this.namespace));
  }

  async module(): Promise<string> {
    return moduleOf(await this.workspace());
  }

  async buckets(): Promise<Readonly<Record<string, string>>> {
    return bucketsOf(await this.tofuWorkspace());
  }

  async condition(type: string): Promise<Fields | undefined> {
    return conditionOf(await this.tofuWorkspace(), type);
  }

  /** Until the provider has applied what is wanted and everything of the TofuWorkspace is ready. */
  async ready(seconds = APPLY_SECONDS): Promise<KubeObject> {
    return eventually(
      `TofuWorkspace of ${this.namespace} is Ready`,
      async () => {
        const object = await this.tofuWorkspace();
        const applied = conditionOf(object, 'WorkspaceApplied');
        const ready = conditionOf(object, 'Ready');
        if (applied?.['status'] === 'True' && ready?.['status'] === 'True') return object;
        throw new Error(JSON.stringify(readPath(object, 'status', 'conditions')));
      },
      seconds,
    );
  }

  composed(): Promise<KubeObject[]> {
    return listComposed(this.namespace);
  }

  secretNames(): Promise<string[]> {
    return list('v1', 'Secret', this.namespace).then(found => found.map(({ metadata }) => metadata.name).sort());
  }

  secretData(name: string): Promise<ReadonlyMap<string, string> | undefined> {
    return find(secret(this.namespace, name)).then(found => (found === undefined ? undefined : decodeData(found)));
  }

  async deleteNamespace(): Promise<void> {
    await remove(namespaceReference(this.namespace));
  }

  async gone(seconds = APPLY_SECONDS): Promise<void> {
    await eventually(
      `namespace ${this.namespace} is gone`,
      async () => {
        const found = await find(namespaceReference(this.namespace));
        if (found === undefined) return true;
        throw new Error(JSON.stringify(readPath(found, 'status', 'conditions')));
      },
      seconds,
    );
  }
}

export function conditionOf(object: unknown, type: string): Fields | undefined {
  const conditions = readPath(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly Fields[]).find(condition => condition['type'] === type);
}

/** name → state, from the status. */
export function bucketsOf(object: unknown): Readonly<Record<string, string>> {
  const buckets = (readPath(object, 'status', 'buckets') ?? []) as readonly { name: string; state: string }[];
  return Object.fromEntries(buckets.map(({ name, state }) => [name, state]));
}

export function moduleOf(object: unknown): string {
  const module = readPath(object, 'spec', 'forProvider', 'module');
  if (typeof module !== 'string') throw new Error('the Workspace has no module');
  return module;
}

export function decodeData(object: KubeObject): ReadonlyMap<string, string> {
  return new Map(
    [...readStrings(object, 'data')].map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

async function listComposed(namespace: string): Promise<KubeObject[]> {
  const kinds = [
    ['opentofu.m.upbound.io/v1beta1', 'Workspace'],
    ['opentofu.m.upbound.io/v1beta1', 'ProviderConfig'],
    ['protection.crossplane.io/v1beta1', 'Usage'],
    ['v1', 'Secret'],
  ] as const;
  const found = await Promise.all(kinds.map(([apiVersion, kind]) => list(apiVersion, kind, namespace)));
  return found
    .flat()
    .filter(object => readStrings(object, 'metadata', 'annotations').has('crossplane.io/composition-resource-name'));
}
