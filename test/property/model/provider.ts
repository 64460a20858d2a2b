/**
 * Model of provider-opentofu: runs a Workspace's module against the state that its ProviderConfig names,
 * and writes outputs, conditions and connection details back.
 */
import { isRecord, readPath, readStrings } from '../../../src/kube.ts';
import type { Backblaze } from './backblaze.ts';
import type { Cluster, Composed, Fields } from './core.ts';
import { readBlocks, readString } from './module-text.ts';
import { applyModule, ApplyError, PlanError, type Applied, type Instance, type State } from './opentofu.ts';

export interface Run {
  /** Changes at Backblaze that succeed before everything fails; undefined for all. */
  readonly stopAfter: number | undefined;
  /** Run what the Workspace said before the last change of it, as a run does that was under way then. */
  readonly stale: boolean;
  /** The outcome does not reach the Workspace: the update of its status met a conflict. */
  readonly unreported: boolean;
}

export const FULL_RUN: Run = { stopAfter: undefined, stale: false, unreported: false };

interface Snapshot {
  readonly generation: number;
  readonly module: string;
  readonly address: string;
}

export class Provider {
  /** By address. */
  readonly states = new Map<string, State>();
  /** Every bucket that was in a state once, by id. */
  readonly managed = new Map<string, { readonly name: string }>();
  /** Instances that left a state without being destroyed, since the last look. */
  readonly forgotten: Instance[] = [];
  /** The state that the last run used. */
  address: string | undefined;
  private readonly seen: Snapshot[] = [];
  private readonly b2: Backblaze;
  /** Whether Synced says of which generation it speaks. */
  private readonly reportsGeneration: boolean;

  constructor(b2: Backblaze, reportsGeneration: boolean) {
    this.b2 = b2;
    this.reportsGeneration = reportsGeneration;
  }

  /** The state in use; empty where there is none. */
  get state(): State {
    return this.states.get(this.address ?? '') ?? new Map<string, Instance>();
  }

  /** Takes note of what a run that starts now would run. */
  watch(cluster: Cluster): void {
    const snapshot = takeSnapshot(cluster);
    const last = this.seen.at(-1);
    if (snapshot === undefined) return;
    if (last?.module !== snapshot.module || last.address !== snapshot.address) this.seen.push(snapshot);
  }

  /** One reconcile of the Workspace. */
  poll(cluster: Cluster, run: Run): void {
    const workspace = cluster.find('Workspace');
    if (workspace === undefined) return;
    if (cluster.find('ProviderConfig') === undefined) {
      report(cluster, workspace, { failure: 'cannot get referenced ProviderConfig' });
      return;
    }
    this.watch(cluster);
    const stale = run.stale ? this.seen.at(-2) : undefined;
    const snapshot = stale ?? this.seen.at(-1);
    if (snapshot === undefined) return;
    // Whatever runs next is newer than this.
    this.seen.splice(0, this.seen.indexOf(snapshot));
    this.address = snapshot.address;
    const outcome = this.run(snapshot, run.stopAfter);
    if (stale === undefined && !run.unreported)
      report(cluster, workspace, { ...outcome, generation: this.reportsGeneration ? snapshot.generation : undefined });
  }

  private run({ module }: Snapshot, stopAfter: number | undefined): Outcome {
    try {
      const applied = applyModule(module, this.state, this.b2, stopAfter);
      this.keep(applied.state);
      this.forgotten.push(...applied.forgotten);
      return { applied };
    } catch (error) {
      if (error instanceof ApplyError) this.keep(error.state);
      else if (!(error instanceof PlanError)) throw error;
      return { failure: error.message };
    }
  }

  private keep(state: State): void {
    this.states.set(this.address ?? '', state);
    for (const instance of state.values())
      if (instance.type === 'b2_bucket') this.managed.set(instance.id, { name: instance.name });
  }
}

interface Outcome {
  readonly applied?: Applied;
  readonly failure?: string;
  readonly generation?: number | undefined;
}

function takeSnapshot(cluster: Cluster): Snapshot | undefined {
  const workspace = cluster.find('Workspace')?.object;
  const module = readPath(workspace, 'spec', 'forProvider', 'module');
  const generation = readPath(workspace, 'metadata', 'generation');
  const address = readStateAddress(cluster);
  if (typeof module !== 'string' || address === undefined) return undefined;
  return { module, address, generation: typeof generation === 'number' ? generation : 0 };
}

/** The object in the state store that a run would use; undefined where an object that names it is missing. */
export function readStateAddress(cluster: Cluster): string | undefined {
  const workspace = cluster.find('Workspace')?.object;
  const configuration = readPath(cluster.find('ProviderConfig')?.object, 'spec', 'configuration');
  if (workspace === undefined || typeof configuration !== 'string') return undefined;
  const backend = readBlocks(configuration)
    .flatMap(({ blocks }) => blocks)
    .find(({ type, labels }) => type === 'backend' && labels[0] === 's3');
  const endpoints = backend?.attributes.get('endpoints');
  const endpoint = endpoints?.kind === 'map' ? endpoints.entries.get('s3') : undefined;
  const name =
    readStrings(workspace, 'metadata', 'annotations').get('crossplane.io/external-name') ??
    readPath(workspace, 'metadata', 'name');
  return [
    endpoint?.kind === 'string' ? endpoint.value : '',
    readString(backend, 'bucket'),
    readString(backend, 'workspace_key_prefix'),
    name,
    readString(backend, 'key'),
  ].join('/');
}

/** Outputs that are sensitive go to the connection Secret alone; after a failure the last ones stay. */
function report(cluster: Cluster, workspace: Composed, { applied, failure, generation }: Outcome): void {
  const { buckets, records, releases } = applied?.outputs ?? {};
  const outputs =
    applied === undefined
      ? readPath(workspace.object, 'status', 'atProvider', 'outputs')
      : { buckets, records, releases };
  const condition = (type: string, status: boolean): Fields => ({
    type,
    status: status ? 'True' : 'False',
    reason: 'Model',
    message: status ? '' : (failure ?? ''),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  });
  const isSynced = failure === undefined;
  cluster.replace({
    ...workspace,
    object: {
      ...workspace.object,
      status: {
        ...(isRecord(outputs) ? { atProvider: { outputs: withoutUndefined(outputs) } } : {}),
        conditions: [condition('Synced', isSynced), ...(isSynced ? [condition('Ready', true)] : [])],
      },
    },
    connectionDetails:
      applied === undefined
        ? workspace.connectionDetails
        : Object.fromEntries(Object.entries(applied.outputs).map(([name, value]) => [name, JSON.stringify(value)])),
  });
}

function withoutUndefined(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}
