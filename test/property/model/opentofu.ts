/**
 * Model of OpenTofu: configuration, state, plan and apply, as far as buckets and their keys depend on it.
 *
 * What it knows was tried on OpenTofu 1.10 and 1.12: a block that goes takes its instances along without
 * an error; an instance that goes while its block stays is refused where the block protects it; `moved`
 * and `removed` are no-ops for what is not in state, and errors for what is still declared; an import
 * needs its target declared.
 */
import type { Backblaze } from './backblaze.ts';
import { readBlocks, readString, readText, type Block, type Value } from './module-text.ts';

export type Instance =
  | { readonly type: 'b2_bucket'; readonly id: string; readonly name: string }
  | { readonly type: 'b2_application_key'; readonly id: string; readonly name: string; readonly bucketId: string }
  | { readonly type: 'netbird_dns_record' | 'terraform_data' };

/** By address. */
export type State = ReadonlyMap<string, Instance>;

export interface Outputs {
  readonly buckets?: Readonly<Record<string, string>>;
  readonly records?: Readonly<Record<string, string>>;
  readonly releases?: Readonly<Record<string, string>>;
  readonly application_key_ids?: Readonly<Record<string, string>>;
  readonly application_keys?: Readonly<Record<string, string>>;
}

interface Declared {
  readonly type: Instance['type'];
  readonly protected: boolean;
  /** Of a bucket or a key; the empty string elsewhere. */
  readonly name: string;
  /** Address of the bucket that a key opens. */
  readonly bucketAddress: string;
}

interface Configuration {
  readonly declared: ReadonlyMap<string, Declared>;
  /** `type.name` → whether its instances may not be destroyed. */
  readonly resources: ReadonlyMap<string, boolean>;
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  readonly removed: readonly { readonly from: string; readonly destroy: boolean }[];
  readonly imports: readonly { readonly to: string; readonly id: string }[];
  /** Name → value, where it is written as a literal map. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

/** A plan that OpenTofu refuses. Its message is what the Workspace's condition says. */
export class PlanError extends Error {}

/** An apply that stopped; what was done until then is in `state`. */
export class ApplyError extends Error {
  readonly state: State;
  constructor(message: string, state: State) {
    super(message);
    this.state = state;
  }
}

export interface Applied {
  readonly state: State;
  readonly outputs: Outputs;
  /** Addresses and instances that left the state without being destroyed. */
  readonly forgotten: readonly Instance[];
}

/**
 * Plans and applies a module.
 * @param stopAfter how many changes at Backblaze succeed before everything fails; undefined for all
 * @throws PlanError | ApplyError
 */
export function applyModule(module: string, before: State, b2: Backblaze, stopAfter?: number): Applied {
  const configuration = readConfiguration(module);
  const { state, forgotten } = adopt(configuration, refactor(configuration, before), b2);
  const doomed = findDoomed(configuration, state);
  const after = perform(configuration, state, { b2, doomed, stopAfter });
  return { state: after, outputs: readOutputs(configuration, after, b2), forgotten };
}

/** Bucket addresses that a module declares. */
export function readDeclaredBuckets(module: string): ReadonlySet<string> {
  const { declared } = readConfiguration(module);
  return new Set([...declared].filter(([, { type }]) => type === 'b2_bucket').map(([address]) => address));
}

function readConfiguration(module: string): Configuration {
  const blocks = readBlocks(module);
  const all = (type: string): readonly Block[] => blocks.filter(block => block.type === type);
  const locals = new Map(all('locals').flatMap(block => [...block.attributes]));
  const declared = new Map<string, Declared>();
  const resources = new Map<string, boolean>();
  for (const block of all('resource')) {
    const address = block.labels.join('.');
    if (resources.has(address)) throw new PlanError(`Duplicate resource ${address}`);
    const guard = block.blocks.find(({ type }) => type === 'lifecycle')?.attributes.get('prevent_destroy');
    const isProtected = guard?.kind === 'bool' && guard.value;
    resources.set(address, isProtected);
    for (const [key, value] of readForEach(block, locals))
      declared.set(`${address}${key}`, declare(block, { key, value, isProtected }));
  }
  return {
    declared,
    resources,
    moved: all('moved').map(block => ({ from: readText(block, 'from') ?? '', to: readText(block, 'to') ?? '' })),
    removed: all('removed').map(readRemoved),
    imports: all('import').map(block => ({ to: readText(block, 'to') ?? '', id: readString(block, 'id') ?? '' })),
    outputs: new Map(all('output').map(block => [block.labels[0] ?? '', readMap(block.attributes.get('value'))])),
  };
}

function readMap(value: Value | undefined): ReadonlyMap<string, Value> {
  return value?.kind === 'map' ? value.entries : new Map<string, Value>();
}

/** Index part of the address → value; one entry with an empty index where there is no for_each. */
function readForEach(block: Block, locals: ReadonlyMap<string, Value>): ReadonlyMap<string, string> {
  const forEach = readText(block, 'for_each');
  if (forEach === undefined) return new Map([['', '']]);
  const map = locals.get(forEach.replace(/^local\./, ''));
  if (map?.kind !== 'map') throw new PlanError(`Invalid for_each argument ${forEach}`);
  return new Map([...map.entries].map(([key, value]) => [`["${key}"]`, value.kind === 'string' ? value.value : '']));
}

function declare(
  block: Block,
  { key, value, isProtected }: { key: string; value: string; isProtected: boolean },
): Declared {
  const type = block.labels[0] as Instance['type'];
  const argument = type === 'b2_bucket' ? 'bucket_name' : 'key_name';
  const name = readText(block, argument) === 'each.value' ? value : (readString(block, argument) ?? '');
  const reference = /b2_bucket\.([a-z0-9_]+)(\[each\.key\])?\.bucket_id/.exec(
    readText(block, 'bucket_id') ?? readText(block, 'bucket_ids') ?? '',
  );
  const index = reference?.[2] === undefined ? '' : key;
  return { type, protected: isProtected, name, bucketAddress: `b2_bucket.${reference?.[1] ?? ''}${index}` };
}

function readRemoved(block: Block): { from: string; destroy: boolean } {
  const destroy = block.blocks.find(({ type }) => type === 'lifecycle')?.attributes.get('destroy');
  return { from: readText(block, 'from') ?? '', destroy: !(destroy?.kind === 'bool' && !destroy.value) };
}

function refuseDuplicates(values: readonly string[], message: string): void {
  const repeated = values.find((value, index) => values.indexOf(value) !== index);
  if (repeated !== undefined) throw new PlanError(`${message}: ${repeated}`);
}

interface Refactored {
  readonly state: Map<string, Instance>;
  readonly forgotten: readonly Instance[];
}

/** Follows `moved` and `removed`. */
function refactor(configuration: Configuration, before: State): Refactored {
  refuseImpossible(configuration);
  const state = move(configuration, before);
  const forgotten: Instance[] = [];
  for (const { from, destroy } of configuration.removed)
    for (const [address, instance] of [...state]) {
      if (destroy || (address !== from && !address.startsWith(`${from}[`))) continue;
      state.delete(address);
      forgotten.push(instance);
    }
  return { state, forgotten };
}

function refuseImpossible({ declared, moved, removed, resources }: Configuration): void {
  for (const end of ['from', 'to'] as const)
    refuseDuplicates(
      moved.map(block => block[end]),
      'Ambiguous move statements',
    );
  for (const { from } of moved) if (declared.has(from)) throw new PlanError(`Moved object still exists: ${from}`);
  for (const { from } of removed)
    if (resources.has(from)) throw new PlanError(`Removed resource still exists: ${from}`);
}

/** A chain is followed to its end: each round takes one step, and a step never goes back. */
function move({ moved }: Configuration, before: State): Map<string, Instance> {
  const targets = new Map(moved.map(({ from, to }) => [from, to]));
  const state = new Map(before);
  for (let round = 0; round <= moved.length; round += 1)
    for (const [address, instance] of [...state]) {
      const target = targets.get(address);
      if (target === undefined || state.has(target)) continue;
      state.delete(address);
      state.set(target, instance);
    }
  return state;
}

function adopt({ declared, imports }: Configuration, refactored: Refactored, b2: Backblaze): Refactored {
  for (const { to, id } of imports) {
    if (!declared.has(to)) throw new PlanError(`Configuration for import target does not exist: ${to}`);
    if (refactored.state.has(to)) continue;
    const bucket = b2.buckets.get(id);
    if (bucket === undefined) throw new PlanError(`Cannot import non-existent remote object: ${id}`);
    refactored.state.set(to, { type: 'b2_bucket', id, name: bucket.name });
  }
  return refactored;
}

interface Doomed {
  readonly destroyed: ReadonlySet<string>;
  readonly replaced: ReadonlySet<string>;
}

/** Instances that would be destroyed or replaced; refuses the plan where one is protected. */
function findDoomed({ declared, resources }: Configuration, state: State): Doomed {
  const destroyed = new Set<string>();
  const replaced = new Set<string>();
  for (const [address, instance] of state) {
    const wanted = declared.get(address);
    if (wanted === undefined) destroyed.add(address);
    else if ('name' in instance && instance.name !== wanted.name) replaced.add(address);
  }
  for (const { type, bucketAddress } of declared.values())
    if (type === 'b2_application_key' && !declared.has(bucketAddress))
      throw new PlanError(`Invalid index: ${bucketAddress}`);
  for (const address of [...destroyed, ...replaced])
    if (resources.get(address.replace(/\[.*$/, '')) === true)
      throw new PlanError(`Instance cannot be destroyed: ${address}`);
  return { destroyed, replaced };
}

function perform(
  { declared }: Configuration,
  before: State,
  { b2, doomed, stopAfter }: { b2: Backblaze; doomed: Doomed; stopAfter: number | undefined },
): State {
  const state = new Map(before);
  let changes = 0;
  const change = (): void => {
    if (changes === stopAfter) throw new ApplyError('the provider lost its connection', state);
    changes += 1;
  };
  const destroy = (address: string): void => {
    const instance = state.get(address);
    change();
    state.delete(address);
    if (instance?.type === 'b2_bucket') b2.destroyBucket(instance.id);
    if (instance?.type === 'b2_application_key') b2.keys.delete(instance.id);
  };
  const order = ['b2_bucket', 'b2_application_key', 'netbird_dns_record', 'terraform_data'];
  for (const address of doomed.destroyed) if (state.get(address)?.type !== 'b2_bucket') destroy(address);
  for (const address of [...doomed.replaced, ...doomed.destroyed]) if (state.has(address)) destroy(address);
  for (const type of order)
    for (const [address, wanted] of declared)
      if (wanted.type === type && !state.has(address)) {
        change();
        state.set(address, create(wanted, state, b2));
      }
  return state;
}

function create(wanted: Declared, state: State, b2: Backblaze): Instance {
  if (wanted.type === 'b2_bucket') {
    const bucket = b2.createBucket(wanted.name);
    if (bucket === undefined) throw new ApplyError(`duplicate_bucket_name: ${wanted.name}`, state);
    return { type: 'b2_bucket', id: bucket.id, name: bucket.name };
  }
  if (wanted.type === 'b2_application_key') {
    const bucket = state.get(wanted.bucketAddress);
    if (bucket?.type !== 'b2_bucket') throw new Error(`the plan let ${wanted.bucketAddress} pass`);
    const { id } = b2.createKey(wanted.name, bucket.id);
    return { type: 'b2_application_key', id, name: wanted.name, bucketId: bucket.id };
  }
  return { type: wanted.type };
}

function readOutputs({ outputs }: Configuration, state: State, b2: Backblaze): Outputs {
  const of = <T extends Instance['type']>(type: T): [string, Extract<Instance, { type: T }>][] =>
    [...state].flatMap(([address, instance]): [string, Extract<Instance, { type: T }>][] => {
      const key = /\["(.*)"\]$/.exec(address)?.[1];
      return key === undefined || instance.type !== type ? [] : [[key, instance as Extract<Instance, { type: T }>]];
    });
  const keys = of('b2_application_key');
  const values = {
    buckets: of('b2_bucket').map(([, { id, name }]) => [name, id] as const),
    records: of('netbird_dns_record').map(([key]) => [key, '100.64.0.10'] as const),
    releases: [...(outputs.get('releases') ?? [])].map(
      ([name, value]) => [name, value.kind === 'string' ? value.value : ''] as const,
    ),
    application_key_ids: keys.map(([key, { id }]) => [key, id] as const),
    application_keys: keys.map(([key, { id }]) => [key, b2.keys.get(id)?.secret ?? ''] as const),
  };
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => outputs.has(name))
      .map(([name, entries]) => [name, Object.fromEntries(entries)]),
  );
}
