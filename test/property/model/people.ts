/**
 * What people do once they are told: they take back what cannot be, and follow the hints. With them and
 * without further events everything must come to rest in a state that they can live with.
 */
import { isRecord, readCondition, readPath, type KubeObject, type StatusCondition } from '../../../src/kube.ts';
import type { Bucket } from './backblaze.ts';
import { readDeclaredBuckets, type State } from './opentofu.ts';
import { FULL_RUN } from './provider.ts';
import type { World } from './world.ts';

const ROUNDS = 12;

/** Lets a world come to rest; what is then not as it must be is written down as a violation. */
export function settleDown(world: World): void {
  repair(world);
  let last = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    world.reconcile();
    world.poll(FULL_RUN);
    followHints(world);
    const now = describe(world);
    if (now === last) break;
    if (round === ROUNDS - 1) world.violations.push('it never comes to rest');
    last = now;
  }
  world.reconcile();
  checkRest(world);
}

/** Takes back what a Fatal result or a rule of the XRD names. */
function repair(world: World): void {
  const { namespace } = world;
  for (const name of namespace.schedules.keys())
    namespace.change({ kind: 'schedule-readable', name: name as 'nightly', on: true });
  for (const name of namespace.routes.keys())
    namespace.change({ kind: 'route-readable', name: name as 'web', on: true });
  world.step({ event: { kind: 'unanswered', keys: [] }, then: 'nothing' });
  world.step({ event: { kind: 'earlier-step', desires: 'nothing' }, then: 'nothing' });
  world.step({ event: { kind: 'dns', on: true }, then: 'nothing' });
  if (!isOurs(world) || readSynced(world)?.status !== 'True')
    world.step({ event: { kind: 'moved', how: 'all' }, then: 'nothing' });
  const address = world.address;
  namespace.stateBucket = ['state-one', 'state-two'].find(name => namespace.addressIn(name) === address) ?? 'state-one';
  namespace.stateMigratedTo = undefined;
  for (const [name, id] of [...namespace.adopted])
    if (world.b2.buckets.get(id)?.name !== name) namespace.adopted.delete(name);
  for (const name of [...namespace.released])
    if (namespace.wanted.has(name.toLowerCase())) namespace.released.delete(name);
  refuseContradictions(world);
}

function readSynced({ cluster }: World): StatusCondition | undefined {
  return readCondition((cluster.find('Workspace')?.object ?? {}) as KubeObject, 'Synced');
}

function isOurs({ cluster }: World): boolean {
  const module = readPath(cluster.find('Workspace')?.object, 'spec', 'forProvider', 'module');
  return typeof module === 'string' && module.startsWith('# function-tofu-workspace');
}

/** An adoption excludes a release of the same bucket, and needs retainBuckets. */
function refuseContradictions({ namespace }: World): void {
  for (const name of namespace.adopted.keys()) {
    namespace.retain = true;
    for (const released of [...namespace.released])
      if (released.toLowerCase() === name.toLowerCase()) namespace.released.delete(released);
  }
}

/** Where the old address of a bucket was dropped too early, it is put back; a bucket that a hint names is adopted. */
function followHints(world: World): void {
  const { address, namespace, outcome } = world;
  const fatal = outcome?.kind === 'fatal' ? outcome.message : '';
  correctMoves(world, fatal);
  if (fatal.includes('movedFrom')) {
    namespace.retain = true;
    // Memory was lost in the middle of a release: what can't be dropped is adopted, and released once more.
    world.toldReleased.clear();
  }
  // Who is asked where the state is looks it up, and gives the word only for where it is.
  if (address !== undefined && fatal.endsWith(`spec.stateMigratedTo is ${address}`))
    namespace.stateMigratedTo = address;
  const { orphan, taken } = findHinted(world);
  const bucket = orphan ?? taken;
  if (bucket === undefined) return;
  const key = bucket.name.toLowerCase();
  if (orphan === undefined && world.toldReleased.has(key) && !namespace.wanted.has(key)) giveUp(world, bucket);
  else adopt(world, bucket);
}

/** A bucket that would be destroyed or replaced lost its old address, or got another bucket's. */
function correctMoves(world: World, fatal: string): void {
  const message = readSynced(world)?.message ?? '';
  if (fatal.includes('movedFrom') || message.includes('cannot be destroyed'))
    world.step({ event: { kind: 'moved', how: 'all' }, then: 'nothing' });
}

interface Hinted {
  /** In state, and in the module no more. */
  readonly orphan: Bucket | undefined;
  /** In the module and at Backblaze, and not in state. */
  readonly taken: Bucket | undefined;
}

function findHinted(world: World): Hinted {
  const { b2, provider } = world;
  const message = readSynced(world)?.message ?? '';
  const orphan = /Instance cannot be destroyed: b2_bucket\.backup\["(.*)"\]/.exec(message)?.[1];
  const instance = provider.state.get(`b2_bucket.backup["${orphan}"]`);
  return {
    orphan: instance?.type === 'b2_bucket' ? instance : undefined,
    taken: b2.findByName(/duplicate_bucket_name: (.*)/.exec(message)?.[1] ?? ''),
  };
}

function adopt(world: World, { name, id }: Bucket): void {
  const { adopted } = world.namespace;
  for (const other of [...adopted.keys()]) if (other.toLowerCase() === name.toLowerCase()) adopted.delete(other);
  adopted.set(name, id);
  refuseContradictions(world);
}

/** People heard that it was released: nothing of theirs should speak of it as one to keep. */
function giveUp({ namespace }: World, { name }: Bucket): void {
  const key = name.toLowerCase();
  namespace.moved = namespace.moved.filter(({ bucket }) => bucket.toLowerCase() !== key);
  if (![...namespace.released].some(released => released.toLowerCase() === key)) namespace.released.add(name);
}

function describe({ b2, cluster, namespace, provider }: World): string {
  return JSON.stringify([
    [...cluster.objects],
    [...provider.states].map(([address, state]) => [address, [...state]]),
    [...b2.buckets],
    namespace.composite,
  ]);
}

function checkRest(world: World): void {
  const { namespace, provider, violations, outcome } = world;
  if (outcome?.kind !== 'settled') {
    violations.push(`at rest the function does not settle: ${JSON.stringify(outcome)}`);
    return;
  }
  const synced = readSynced(world);
  if (synced?.status !== 'True') violations.push(`at rest OpenTofu does not apply: ${synced?.message}`);
  for (const key of namespace.wanted) checkWanted(world, key);
  checkKept(world, provider.state);
  const records = [...provider.state.keys()].filter(address => address.startsWith('netbird_dns_record.'));
  const wanted = [...namespace.hosts].map(host => `netbird_dns_record.internal["${host}"]`);
  if (JSON.stringify(records.sort()) !== JSON.stringify(wanted.sort())) violations.push('at rest the records differ');
}

function checkWanted({ b2, cluster, provider, violations }: World, key: string): void {
  const bucket = provider.state.get(`b2_bucket.backup["${key}"]`);
  const applicationKey = provider.state.get(`b2_application_key.backup["${key}"]`);
  if (bucket?.type !== 'b2_bucket' || !b2.buckets.has(bucket.id)) violations.push(`at rest bucket ${key} is missing`);
  else if (applicationKey?.type !== 'b2_application_key' || applicationKey.bucketId !== bucket.id)
    violations.push(`at rest the key of bucket ${key} is missing`);
  else {
    const data = cluster.objects.get(`/Secret/${key}-b2`)?.object['data'];
    const id = isRecord(data) ? Buffer.from(String(data['ACCESS_KEY_ID']), 'base64').toString() : '';
    if (id !== applicationKey.id) violations.push(`at rest the Secret of bucket ${key} is missing`);
  }
}

/** Every bucket that was ours once is in state, or was given up; and what was given up stays so. */
function checkKept(world: World, state: State): void {
  const { b2, cluster, namespace, provider, violations } = world;
  const held = new Map(
    [...state.values()].flatMap(instance =>
      instance.type === 'b2_bucket' ? [[instance.id, instance.name] as const] : [],
    ),
  );
  const module = readPath(cluster.find('Workspace')?.object, 'spec', 'forProvider', 'module');
  const declared = readDeclaredBuckets(typeof module === 'string' ? module : '');
  for (const [id, { name }] of provider.managed) {
    const key = name.toLowerCase();
    if (!b2.buckets.has(id)) violations.push(`at rest bucket ${name} does not exist`);
    if (held.has(id)) {
      if (world.toldReleased.has(key)) violations.push(`at rest bucket ${name} is back, and nobody wants it`);
      continue;
    }
    if (!namespace.everReleased.has(key)) violations.push(`at rest bucket ${name} is out of state`);
    if (declared.has(`b2_bucket.backup["${key}"]`))
      violations.push(`at rest the module holds bucket ${name}, and its state does not`);
  }
  for (const name of namespace.released) {
    const shown = namespace.shown.get(name.toLowerCase());
    if (shown === 'Releasing') violations.push(`at rest bucket ${name} is still Releasing`);
  }
}
