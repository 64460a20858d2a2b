/** What must never happen, whatever else does. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, readPath } from '../../../src/kube.ts';
import { identify, type Composed, type Fields, type Outcome } from './core.ts';
import { readDeclaredBuckets } from './opentofu.ts';
import { STRANGERS_BUCKET } from './namespace.ts';
import { readStateAddress } from './provider.ts';
import type { World } from './world.ts';

export interface Before {
  readonly objects: ReadonlyMap<string, Composed>;
  readonly status: Fields | undefined;
}

/** After every run of OpenTofu. */
export function checkApplied({ b2, namespace, provider, violations }: World): void {
  for (const { name } of b2.destroyed) violations.push(`bucket ${name} was destroyed`);
  for (const instance of provider.forgotten.splice(0))
    if (instance.type === 'b2_bucket' && !namespace.everReleased.has(instance.name.toLowerCase()))
      violations.push(`bucket ${instance.name} was forgotten, and nobody released it`);
  if (b2.findByName(STRANGERS_BUCKET) !== undefined)
    violations.push("a Schedule in a stranger's namespace made a bucket");
}

/** After every reconcile. */
export function checkReconciled(world: World, before: Before, outcome: Outcome): void {
  checkObjects(world, before);
  checkStateAddress(world);
  checkSecrets(world, before);
  if (outcome.kind === 'waiting') checkWaiting(world, before);
  if (outcome.kind === 'settled') checkSettled(world);
}

/** Core deletes what has no key, before anything is applied. */
function checkObjects({ cluster, violations }: World, before: Before): void {
  for (const [identity, { object }] of before.objects) {
    const after = cluster.objects.get(identity);
    const isProtected =
      ['Workspace', 'ProviderConfig'].includes(String(object['kind'])) ||
      identity.endsWith('/Usage/workspace-providerconfig');
    if (isProtected && readPath(after?.object, 'metadata', 'uid') !== readPath(object, 'metadata', 'uid'))
      violations.push(`${identity} was dropped`);
  }
  const module: unknown = readPath(cluster.find('Workspace')?.object, 'spec', 'forProvider', 'module');
  if (before.objects.size > 0 && cluster.find('Workspace') !== undefined && typeof module !== 'string')
    violations.push('the Workspace lost its module');
}

function checkStateAddress({ address, cluster, namespace, violations }: World): void {
  const after = readStateAddress(cluster);
  if (address === undefined || after === undefined || after === address) return;
  if (after !== namespace.stateMigratedTo) violations.push(`the state moved from ${address} to ${after}`);
}

/** What can't be decided is refused, and Released is said of what is out of state alone: people delete it then. */
function checkSettled(world: World): void {
  const { contested, namespace, provider, violations } = world;
  if (contested) violations.push('settled, and an earlier step desires the same');
  for (const name of namespace.released)
    if (namespace.wanted.has(name.toLowerCase())) violations.push(`settled, and ${name} is wanted and released`);
  for (const [key, state] of namespace.shown)
    if (state === 'Released' && provider.state.has(`b2_bucket.backup["${key}"]`))
      violations.push(`${key} is called Released, and is in state`);
  if (!world.damaged) checkReleased(world);
}

function checkReleased({ cluster, namespace, toldReleased, violations }: World): void {
  const module = readPath(cluster.find('Workspace')?.object, 'spec', 'forProvider', 'module');
  const declared = readDeclaredBuckets(typeof module === 'string' ? module : '');
  const adopted = new Set([...namespace.adopted.keys()].map(name => name.toLowerCase()));
  for (const key of toldReleased)
    if (declared.has(`b2_bucket.backup["${key}"]`) && !namespace.wanted.has(key) && !adopted.has(key))
      violations.push(`released bucket ${key} is in the module again`);
}

/** Of a wanted bucket the Secret stays, with the key that it had or with one that works. */
function checkSecrets({ b2, cluster, namespace, violations }: World, before: Before): void {
  for (const key of namespace.claimed) {
    const identity = `/Secret/${key}-b2`;
    const had = before.objects.get(identity)?.object['data'];
    if (!isRecord(had)) continue;
    const has: unknown = cluster.objects.get(identity)?.object['data'];
    if (isDeepStrictEqual(has, had)) continue;
    const id = Buffer.from(String(readPath(has, 'ACCESS_KEY_ID')), 'base64').toString();
    const secret = Buffer.from(String(readPath(has, 'SECRET_ACCESS_KEY')), 'base64').toString();
    if (secret !== `secret-of-${id}` && b2.keys.get(id)?.secret !== secret)
      violations.push(`the Secret of bucket ${key} lost its credentials`);
  }
}

/** An answer that waits changes nothing, were it applied. */
function checkWaiting({ cluster, namespace, violations }: World, before: Before): void {
  for (const [identity, { key, object }] of before.objects) {
    // What an earlier step desired is not ours to keep.
    if (object['kind'] === 'ConfigMap') continue;
    const after = cluster.objects.get(identity);
    if (after === undefined) violations.push(`${identity} went while waiting`);
    else if (after.key !== key || identify(after.object) !== identity)
      violations.push(`${identity} changed its key while waiting`);
    else if (!isDeepStrictEqual(content(after.object), content(object)))
      violations.push(`${identity} changed while waiting`);
  }
  if (!isDeepStrictEqual(namespace.status, before.status)) violations.push('status changed while waiting');
}

function content({ spec, data, type, metadata }: Fields): unknown {
  const { labels, annotations } = metadata as Fields;
  return [spec, data, type, labels, annotations];
}
