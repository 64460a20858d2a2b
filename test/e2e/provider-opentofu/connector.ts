/**
 * Connects to what a Workspace stands for, as provider-opentofu's connector does: ProviderConfig and its usage, files,
 * environment, init and the tofu workspace. Order and error texts are its own (namespaced/workspace/workspace.go).
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OpenTofu } from '../../tofu/opentofu.ts';
import {
  API_VERSION,
  KINDS,
  USAGE_LABEL,
  controllerReference,
  externalNameOf,
  nameOf,
  type Credentials,
  type EnvironmentVariable,
  type ProviderConfig,
  type ProviderConfigReference,
  type Workspace,
} from './api.ts';
import { External } from './external.ts';
import type { Kubernetes } from './kubernetes.ts';
import { within } from './step.ts';
import {
  configurationFiles,
  credentialsFile,
  initArguments,
  moduleFile,
  rootModuleFolder,
  writeRunFile,
} from './run-files.ts';

export interface ConnectorOptions {
  readonly kubernetes: Kubernetes;
  /** The tofu binary. */
  readonly tofu: string;
  /** Holds a run directory for each Workspace, named by its uid. */
  readonly work: string;
  /** What tofu sees of the provider's own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export class Connector {
  readonly #options: ConnectorOptions;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  async connect(workspace: Workspace, signal: AbortSignal): Promise<External> {
    const { forProvider } = workspace.spec;
    const directory = join(this.#options.work, workspace.metadata.uid);
    await within('cannot make tofu configuration directory', mkdir(directory, { recursive: true, mode: 0o700 }));
    const config = await within('failed to resolve provider config', this.#resolveProviderConfig(workspace));

    if (forProvider.source === 'Remote')
      throw new Error('cannot get remote tofu module: the stand-in for provider-opentofu reads inline modules only');
    await writeRunFile(moduleFile(directory, forProvider));
    const folder = rootModuleFolder(directory, forProvider);
    for (const credentials of config.spec.credentials ?? []) {
      const content = await within('cannot get credentials', this.#readCredentials(credentials));
      await writeRunFile(credentialsFile(folder, credentials.filename, content));
    }
    for (const file of configurationFiles(folder, config)) await writeRunFile(file);

    const environment = await within('cannot resolve variables', this.#resolveEnvironment(workspace));
    const tofu = new OpenTofu({
      binary: this.#options.tofu,
      folder,
      environment: { ...this.#options.environment, ...environment },
      signal,
    });
    await this.#initialise(tofu, workspace, config);
    await within('cannot select tofu workspace', tofu.workspace(externalNameOf(workspace)));
    return new External(this.#options.kubernetes, tofu);
  }

  /** Nothing to do while no file changed since the last observation; after each apply it is done again. */
  async #initialise(tofu: OpenTofu, { spec, status }: Workspace, config: ProviderConfig): Promise<void> {
    const checksum = status?.atProvider?.checksum ?? '';
    if (checksum !== '') {
      const now = await within('cannot calculate workspace checksum', tofu.checksum());
      if (now === checksum) return;
    }
    const args = initArguments(tofu.folder, config, spec.forProvider);
    await within('cannot initialize tofu configuration', tofu.init(args));
  }

  async #resolveProviderConfig(workspace: Workspace): Promise<ProviderConfig> {
    const reference = workspace.spec.providerConfigRef;
    if (reference === undefined) throw new Error('provider config is not set');
    const { name, namespace } = nameOf(workspace);
    const { kind } = reference;
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(
        `referenced provider config kind "${kind}" is invalid for ${namespace}/${name}: ` +
          `no kind "${kind}" is registered for version "${API_VERSION}"`,
      );
    if (kind !== 'ProviderConfig' && kind !== 'ClusterProviderConfig')
      throw new Error(`referenced provider config kind "${kind}" is not a provider config type ${namespace}/${name}`);
    const at = { name: reference.name, namespace: KINDS[kind].namespaced ? namespace : '' };
    const config = await within('cannot get provider config', this.#options.kubernetes.get(kind, at));
    await within('cannot track provider config usage', this.#track(workspace, reference));
    return kind === 'ProviderConfig' ? localise(config, namespace) : config;
  }

  /** Where a namespace terminates, a usage that is gone can't be made again, and nothing else happens any more. */
  async #track(workspace: Workspace, reference: ProviderConfigReference): Promise<void> {
    const { kubernetes } = this.#options;
    const { name, namespace } = nameOf(workspace);
    const { uid } = workspace.metadata;
    const wanted = {
      apiVersion: API_VERSION,
      kind: 'ProviderConfigUsage',
      metadata: {
        name: uid,
        namespace,
        labels: { [USAGE_LABEL.name]: reference.name, [USAGE_LABEL.kind]: reference.kind },
        ownerReferences: [controllerReference(workspace)],
      },
      providerConfigRef: { kind: reference.kind, name: reference.name },
      resourceRef: { apiVersion: workspace.apiVersion, kind: workspace.kind, name },
    };
    const existing = await kubernetes.find('ProviderConfigUsage', { name: uid, namespace });
    if (existing === undefined) {
      const created = within('cannot create object', kubernetes.create('ProviderConfigUsage', wanted));
      await within('cannot apply ProviderConfigUsage', created);
      return;
    }
    const { kind, name: config } = existing.providerConfigRef;
    if (kind === reference.kind && config === reference.name) return;
    const { resourceVersion } = existing.metadata;
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    const metadata = { ...wanted.metadata, uid: existing.metadata.uid, ...version };
    const updated = kubernetes.replace('ProviderConfigUsage', { ...wanted, metadata });
    await within('cannot apply ProviderConfigUsage', within('cannot update object', updated));
  }

  async #readCredentials({ source, secretRef, env, fs }: Credentials): Promise<Uint8Array> {
    switch (source) {
      case 'None':
        return new Uint8Array();
      case 'Secret': {
        if (secretRef === undefined) throw new Error('cannot extract from secret key when none specified');
        const secret = await within('cannot get credentials secret', this.#options.kubernetes.readSecret(secretRef));
        return secret.get(secretRef.key) ?? new Uint8Array();
      }
      case 'Environment':
        if (env === undefined) throw new Error('cannot extract from environment variable when none specified');
        return Buffer.from(process.env[env.name] ?? '');
      case 'Filesystem':
        if (fs === undefined) throw new Error('cannot extract from filesystem when no path specified');
        return readFile(fs.path);
      default:
        throw new Error(`no extraction handler registered for source: ${source}`);
    }
  }

  async #resolveEnvironment({ metadata, spec }: Workspace): Promise<Record<string, string>> {
    const environment: Record<string, string> = {};
    for (const variable of spec.forProvider.env ?? [])
      environment[variable.name] = await this.#resolveVariable(variable, metadata.namespace ?? '');
    return environment;
  }

  async #resolveVariable({ value = '', ...from }: EnvironmentVariable, namespace: string): Promise<string> {
    const { kubernetes } = this.#options;
    if (value !== '') return value;
    if (from.configMapKeyRef !== undefined) {
      const { name, key } = from.configMapKeyRef;
      const found = (await kubernetes.readConfigMap({ name, namespace })).get(key);
      if (found === undefined) throw new Error(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
      return found;
    }
    if (from.secretKeyRef !== undefined) {
      const { name, key } = from.secretKeyRef;
      const found = (await kubernetes.readSecret({ name, namespace })).get(key);
      if (found === undefined) throw new Error(`couldn't find key ${key} in Secret ${namespace}/${name}`);
      return found.toString('utf8');
    }
    return '';
  }
}

/** A namespaced ProviderConfig reads Secrets of its own namespace, whatever namespace it names. */
function localise(config: ProviderConfig, namespace: string): ProviderConfig {
  const { credentials } = config.spec;
  if (credentials === undefined) return config;
  const local = credentials.map(one =>
    one.secretRef === undefined ? one : { ...one, secretRef: { ...one.secretRef, namespace } },
  );
  return { ...config, spec: { ...config.spec, credentials: local } };
}
