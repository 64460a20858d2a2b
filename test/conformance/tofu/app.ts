/** A namespace with the function, provider-opentofu and OpenTofu at work: reconcile after reconcile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { decide } from '../../../src/decide.ts';
import type { Decision, Settled } from '../../../src/decision.ts';
import { readPath } from '../../../src/kube.ts';
import type { ObservedObject } from '../../../src/observation.ts';
import {
  applied,
  conditionOf,
  configurationOf,
  DNS_ON,
  find,
  input,
  moduleOf,
  NAMESPACE,
  observe,
  xr,
  type ApplyOptions,
} from '../../fixtures/objects.ts';
import { findTool, skipWithout, type Tool } from '../tools.ts';
import { cliConfigurationOf, writeMirror } from '../../tofu/mirror.ts';
import { TofuError, type Output } from '../../tofu/opentofu.ts';
import { Store } from '../../tofu/store.ts';
import { World } from '../../tofu/world.ts';
import { RunDirectory, type Order } from './run-directory.ts';

/** The one that the oldest supported provider-opentofu bundles, and the newest. */
const TOFU_VERSIONS: readonly Tool[] = ['opentofu-1.10', 'opentofu'];

const TOOLS: readonly Tool[] = [...TOFU_VERSIONS, 'schema-replay', 'versitygw'];

/** Tests that run on each version of OpenTofu, side by side: each starts an App of its own. */
export function describeTofu(name: string, tests: (start: (options?: AppOptions) => App, tofu: Tool) => void): void {
  describe.skipIf(skipWithout(...TOOLS)).each(TOFU_VERSIONS)(`${name}, %s`, { concurrent: true }, tofu => {
    let site: Site | undefined;
    beforeAll(async () => {
      site = await Site.open();
    });
    afterAll(async () => {
      await site?.close();
    });
    const start = (options: AppOptions = {}): App => {
      if (site === undefined) throw new Error('no site');
      return new App(site, tofu, options);
    };
    tests(start, tofu);
  });
}

type Fields = Readonly<Record<string, unknown>>;

export const PASSPHRASE = 'a passphrase of the test';
export const WRONG_PASSPHRASE = 'another passphrase of the test';

/** "<Secret>/<key>" → value, as External Secrets would deliver them. */
const SECRETS: Readonly<Record<string, string>> = {
  'tofu-workspace-s3-credentials/AWS_ACCESS_KEY_ID': Store.ACCESS_KEY_ID,
  'tofu-workspace-s3-credentials/AWS_SECRET_ACCESS_KEY': Store.SECRET_ACCESS_KEY,
  'tofu-workspace-b2-credentials/B2_APPLICATION_KEY_ID': 'test-b2-key-id',
  'tofu-workspace-b2-credentials/B2_APPLICATION_KEY': 'test-b2-key',
  'tofu-workspace-netbird-credentials/NB_PAT': 'test-netbird-token',
  'tofu-encryption/passphrase': PASSPHRASE,
};

export interface Outcome {
  readonly decision: Settled;
  /** Synced=False: what the provider says. */
  readonly error: TofuError | undefined;
  /** "2 to add, 0 to change, 0 to destroy", with imports before and forgotten ones behind; "no changes" where there are none. */
  readonly plan: string;
}

/** The folder of one test file: providers, run directories, worlds. */
export class Site {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tofu-site-'));
  #count = 0;
  readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
    writeMirror(this.#folder);
  }

  static async open(): Promise<Site> {
    return new Site(await Store.start());
  }

  async close(): Promise<void> {
    await this.store.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** A folder that nobody used before. */
  folder(): string {
    this.#count += 1;
    return join(this.#folder, `run-${this.#count}`);
  }

  directory(tool: Tool, world?: World): RunDirectory {
    return new RunDirectory(this.folder(), findTool(tool), {
      PATH: process.env.PATH ?? '',
      HOME: this.#folder,
      CHECKPOINT_DISABLE: '1',
      TF_CLI_CONFIG_FILE: cliConfigurationOf(this.#folder),
      ...(world === undefined ? {} : { SCHEMA_REPLAY_WORLD: world.path }),
    });
  }

  world(): World {
    this.#count += 1;
    return new World(join(this.#folder, `world-${this.#count}.json`));
  }
}

export interface AppOptions {
  readonly namespace?: string;
  /** Another App's, to share what exists with it. */
  readonly world?: World;
  /** Object key of the state; another one for each App where it does not say. */
  readonly stateKey?: string;
  /**
   * Deriving keys is four fifths of what a run takes, so tests of other subjects leave the encryption block out. "fast"
   * has it with the fewest iterations that OpenTofu allows, "full" exactly as composed.
   */
  readonly encryption?: 'full' | 'fast';
}

export class App {
  /** The XR's spec; tests change it between reconciles, as they do the other public fields. */
  spec: Fields = {};
  status: Fields | undefined;
  schedules: readonly unknown[] = [];
  routes: readonly unknown[] = [];
  inputFields: Fields = DNS_ON;
  stateFields: Fields = {};
  secrets: Readonly<Record<string, string>> = SECRETS;
  observed: ReadonlyMap<string, ObservedObject> = new Map();
  readonly namespace: string;
  readonly world: World;
  readonly site: Site;
  readonly #tool: Tool;
  readonly #options: AppOptions;
  #directory: RunDirectory;
  #told: Pick<ApplyOptions, 'outputs' | 'keys'> = {};

  constructor(site: Site, tool: Tool, options: AppOptions) {
    this.site = site;
    this.#options = options;
    this.#tool = tool;
    this.namespace = options.namespace ?? NAMESPACE;
    this.world = options.world ?? site.world();
    this.#directory = site.directory(tool, this.world);
  }

  get stateKey(): string {
    return this.#options.stateKey ?? `${this.world.path.split('/').at(-1)?.replace('.json', '')}.tfstate`;
  }

  get stateObject(): string {
    return `${this.namespace}/workspace/${this.stateKey}`;
  }

  get directory(): RunDirectory {
    return this.#directory;
  }

  decide(): Decision {
    const { endpoint } = this.site.store;
    const state = { endpoint, bucket: Store.BUCKET, region: 'us-east-1', key: this.stateKey, ...this.stateFields };
    return decide(
      observe({
        input: input({ ...this.inputFields, state }),
        xr: xr(this.spec, {
          metadata: { namespace: this.namespace },
          ...(this.status === undefined ? {} : { status: this.status }),
        }),
        namespaces: [
          {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: this.namespace, labels: { 'secrets.tofu-workspace': 'true' } },
          },
        ],
        schedules: this.schedules,
        routes: this.routes,
        observed: this.observed,
      }),
    );
  }

  settle(): Settled {
    const decision = this.decide();
    if (decision.kind !== 'settled')
      throw new Error(`expected settled, got ${decision.kind}: ${JSON.stringify(decision.conditions)}`);
    return decision;
  }

  /** What the function tells about the observed Workspace: reason and message of WorkspaceApplied. */
  hint(): { readonly reason: string; readonly message: string } {
    const { reason, message } = conditionOf(this.decide(), 'WorkspaceApplied');
    return { reason, message };
  }

  /** Core, provider and OpenTofu do what the function says; what they report is what it observes next. */
  async reconcile(): Promise<Outcome> {
    const decision = this.settle();
    this.status = decision.status;
    try {
      const plan = await this.#run(this.order(decision));
      this.observed = applied(decision, this.#told);
      return { decision, error: undefined, plan };
    } catch (error) {
      if (!(error instanceof TofuError)) throw error;
      this.observed = applied(decision, { ...this.#told, failure: error.message });
      return { decision, error, plan: '' };
    }
  }

  /** Core applies what the function says, and the provider does not get to it. */
  compose(): Settled {
    const decision = this.settle();
    this.status = decision.status;
    this.observed = applied(decision, this.#told);
    return decision;
  }

  /** The XR is deleted: what the observed Workspace says is destroyed. */
  async destroy(): Promise<TofuError | undefined> {
    const order = this.order(this.observedDecision());
    try {
      await this.#directory.connect(order);
      await this.#directory.destroy(order);
      return undefined;
    } catch (error) {
      if (error instanceof TofuError) return error;
      throw error;
    }
  }

  /** Nobody remembers anything, and the state is still there: the XR is made anew, and with it what it composed or not. */
  forget(workspace: 'gone' | 'kept'): void {
    this.observed =
      workspace === 'gone'
        ? new Map()
        : new Map(
            [...this.observed].map(([key, { object }]) => [
              key,
              { object: bare(object), connectionDetails: new Map() },
            ]),
          );
    this.status = undefined;
    this.#told = {};
  }

  /** The provider puts an error into the Workspace's condition. */
  report(error: TofuError | undefined): void {
    this.observed = applied(this.observedDecision(), {
      ...this.#told,
      ...(error === undefined ? {} : { failure: error.message }),
    });
  }

  /** The provider's pod restarts, or another one takes over: the directory is empty again. */
  loseDirectory(): void {
    this.#directory = this.site.directory(this.#tool, this.world);
  }

  resources(): Promise<string[]> {
    return this.#directory.resources(this.order(this.observedDecision()));
  }

  order(decision: Settled): Order {
    const workspace = find(decision, 'Workspace');
    const parameters = readPath(workspace, 'spec', 'forProvider');
    const configuration = configurationOf(decision);
    const list = (value: unknown): readonly string[] => (value === undefined ? [] : (value as readonly string[]));
    return {
      module: moduleOf(decision),
      configuration: this.#options.encryption === undefined ? withoutEncryption(configuration) : configuration,
      workspace: String(readPath(workspace, 'metadata', 'annotations', 'crossplane.io/external-name')),
      environment: {
        ...this.#resolve(readPath(parameters, 'env')),
        ...(this.#options.encryption === 'fast' ? deriveFaster(configuration) : {}),
      },
      applyArgs: list(readPath(parameters, 'applyArgs')),
      destroyArgs: list(readPath(parameters, 'destroyArgs')),
    };
  }

  /** A decision with the objects as they are observed. */
  observedDecision(): Settled {
    const resources = new Map(
      [...this.observed].map(([key, { object }]) => [key, { object: object as never, ready: true }]),
    );
    return {
      kind: 'settled',
      requirements: new Map(),
      conditions: [],
      warnings: [],
      ttlSeconds: 0,
      resources,
      status: {},
    };
  }

  #resolve(env: unknown): Record<string, string> {
    const entries = env as readonly {
      readonly name: string;
      readonly secretKeyRef: { readonly name: string; readonly key: string };
    }[];
    return Object.fromEntries(
      entries.map(({ name, secretKeyRef }) => {
        const value = this.secrets[`${secretKeyRef.name}/${secretKeyRef.key}`];
        if (value === undefined) throw new Error(`no Secret ${secretKeyRef.name} with ${secretKeyRef.key}`);
        return [name, value];
      }),
    );
  }

  async #run(order: Order): Promise<string> {
    await this.#directory.connect(order);
    const { differs, text } = await this.#directory.plan(order);
    if (differs) await this.#directory.apply(order);
    this.#told = tell(await this.#directory.outputs(order));
    return summarise(text, differs);
  }
}

export function withoutEncryption(configuration: string): string {
  return configuration.replace(/^\n? {2}encryption \{\n.*?^ {2}\}\n/ms, '');
}

/** OpenTofu merges this over the configuration: the least number of iterations that it takes, of 600,000 by default. */
function deriveFaster(configuration: string): Record<string, string> {
  const labels = [...configuration.matchAll(/^ *key_provider "pbkdf2" "([^"]+)"/gm)].map(match => match[1]);
  const providers = labels.map(label => `key_provider "pbkdf2" "${label}" {\n  iterations = 200000\n}\n`);
  return providers.length === 0 ? {} : { TF_ENCRYPTION: providers.join('') };
}

/** An object without the status and the annotations that it was composed with, but for its external name. */
function bare(object: unknown): unknown {
  const { metadata } = object as { readonly metadata: Fields };
  const name = readPath(metadata, 'annotations', 'crossplane.io/external-name');
  const annotations = name === undefined ? {} : { 'crossplane.io/external-name': name };
  return { ...(object as Fields), metadata: { ...metadata, annotations }, status: {} };
}

/** Outputs as the provider puts them into status and the connection Secret. */
function tell(outputs: readonly Output[]): Pick<ApplyOptions, 'outputs' | 'keys'> {
  const value = (name: string): Readonly<Record<string, string>> =>
    (outputs.find(output => output.name === name)?.value ?? {}) as Readonly<Record<string, string>>;
  const [ids, secrets] = [value('application_key_ids'), value('application_keys')];
  const open = outputs.filter(({ sensitive }) => !sensitive).map(output => [output.name, output.value] as const);
  return {
    outputs: Object.fromEntries(open),
    keys: Object.fromEntries(Object.entries(ids).map(([key, id]) => [key, { id, secret: secrets[key] ?? '' }])),
  };
}

function summarise(plan: string, differs: boolean): string {
  const found = /^Plan: (.*)\.$/m.exec(plan)?.[1];
  if (found !== undefined) return found;
  return differs ? 'outputs only' : 'no changes';
}
