/** Everything together: events happen to it, and what must never be is written down as a violation. */
import { isRecord, readPath } from '../../../src/kube.ts';
import { Backblaze } from './backblaze.ts';
import { Cluster, type Composed, type Fields, type Outcome } from './core.ts';
import { BUCKETS, STATE_BUCKETS, type Event, type Start, type Step } from './events.ts';
import { checkApplied, checkReconciled, type Before } from './invariants.ts';
import { Namespace, type Move } from './namespace.ts';
import { composeOlder } from './older-composition.ts';
import { FULL_RUN, Provider, readStateAddress, type Run } from './provider.ts';

export class World {
  readonly b2 = new Backblaze();
  readonly cluster = new Cluster();
  readonly namespace: Namespace;
  readonly provider: Provider;
  readonly violations: string[] = [];
  /** Keys that status called Released, since a Schedule or an adoption last wanted them. */
  readonly toldReleased = new Set<string>();
  /** The state in use, also while the object that names it is missing. */
  address: string | undefined;
  outcome: Outcome | undefined;
  /** An earlier step desires what is ours. */
  contested = false;
  /** Something vanished that remembers: what was released may be taken for kept again. */
  damaged = false;
  private readonly older: readonly string[];
  private earlier: Readonly<Record<string, Fields>> = {};

  constructor({ older, retain, reportsGeneration }: Start) {
    this.older = older;
    this.namespace = new Namespace(STATE_BUCKETS[0], retain);
    this.provider = new Provider(this.b2, reportsGeneration);
    this.b2.createBucket(BUCKETS[4]);
    if (older.length === 0) return;
    composeOlder(this.cluster, older, STATE_BUCKETS[0]);
    older.forEach((bucket, index) => {
      this.namespace.change({
        kind: 'schedule',
        name: index === 0 ? 'nightly' : 'weekly',
        bucket: bucket as 'alpha-1',
        upper: false,
      });
    });
    this.namespace.moved = this.movesOf('all');
    this.address = readStateAddress(this.cluster);
    this.poll(FULL_RUN);
  }

  step({ event, then }: Step): void {
    this.happen(event);
    if (then === 'nothing') return;
    this.reconcile();
    if (then === 'reconcile') return;
    this.poll(FULL_RUN);
    this.reconcile();
  }

  reconcile(): void {
    const before: Before = { objects: new Map(this.cluster.objects), status: this.namespace.status };
    const { namespace } = this;
    this.outcome = this.cluster.reconcile({
      input: namespace.input,
      composite: namespace.composite,
      desired: this.earlier,
      answers: namespace.answers,
    });
    if (this.outcome.kind !== 'fatal') namespace.status = this.outcome.status;
    checkReconciled(this, before, this.outcome);
    this.carryState(readStateAddress(this.cluster));
    this.provider.watch(this.cluster);
    this.listen();
  }

  poll(run: Run): void {
    this.provider.poll(this.cluster, run);
    checkApplied(this);
  }

  /** Who gives the word that state was moved stops the provider, and moves the state as it is then. */
  private carryState(address: string | undefined): void {
    if (address === undefined) return;
    const state = this.provider.states.get(this.address ?? '');
    if (state !== undefined && address !== this.address && address === this.namespace.stateMigratedTo)
      this.provider.states.set(address, state);
    this.address = address;
  }

  /** What people read off the XR. */
  private listen(): void {
    for (const [key, state] of this.namespace.shown) if (state === 'Released') this.toldReleased.add(key);
    for (const key of this.namespace.wanted) this.toldReleased.delete(key);
    for (const name of this.namespace.adopted.keys()) this.toldReleased.delete(name.toLowerCase());
  }

  private happen(event: Event): void {
    if (this.namespace.change(event)) return;
    switch (event.kind) {
      case 'adopt':
        this.adopt(event);
        return;
      case 'moved':
        this.namespace.moved = this.movesOf(event.how);
        return;
      case 'state-bucket':
        this.moveState(event);
        return;
      case 'earlier-step':
        this.earlier = this.earlierStep(event.desires);
        this.contested = event.desires.startsWith('our-') && Object.keys(this.earlier).length > 0;
        return;
      case 'loss':
        this.damaged = true;
        this.lose(event.of);
        return;
      case 'reconcile':
        this.reconcile();
        return;
      case 'poll':
        this.poll(event.run);
        return;
      default:
        throw new Error(`nobody knows what ${event.kind} does`);
    }
  }

  private adopt({ bucket, id }: Extract<Event, { kind: 'adopt' }>): void {
    const { adopted } = this.namespace;
    const existing = this.b2.findByName(bucket);
    const others = [...this.b2.buckets.keys()].filter(other => other !== existing?.id);
    const ids = { right: existing?.id, unknown: this.b2.nextId(), 'of-another': others[0], none: undefined };
    adopted.delete(bucket);
    const chosen = ids[id];
    if (chosen !== undefined) adopted.set(id === 'right' ? (existing?.name ?? bucket) : bucket, chosen);
  }

  private movesOf(how: Extract<Event, { kind: 'moved' }>['how']): readonly Move[] {
    const moves = this.older.map((bucket, index) => ({ address: `b2_bucket.b${index}`, bucket }));
    switch (how) {
      case 'all':
        return moves;
      case 'first':
        return moves.slice(0, 1);
      case 'swapped':
        return moves.map((move, index) => ({ ...move, bucket: this.older.at(-1 - index) ?? BUCKETS[3] }));
      case 'none':
        return [];
    }
  }

  private moveState({ to, word }: Extract<Event, { kind: 'state-bucket' }>): void {
    const { namespace } = this;
    const address = namespace.addressIn(to);
    namespace.stateBucket = to;
    namespace.stateMigratedTo = { kept: address, wrong: namespace.addressIn('elsewhere'), none: undefined }[word];
  }

  private earlierStep(desires: Extract<Event, { kind: 'earlier-step' }>['desires']): Readonly<Record<string, Fields>> {
    const something: Fields = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { a: 'b' } };
    const workspace = this.cluster.find('Workspace');
    // Before ours exists there is nothing to lose, and theirs would have to go first.
    if (workspace === undefined) return desires === 'something' ? { other: something } : {};
    switch (desires) {
      case 'nothing':
        return {};
      case 'something':
        return { other: something };
      case 'our-key':
        return { [workspace.key]: something };
      case 'our-object':
        return {
          theirs: {
            apiVersion: 'opentofu.m.upbound.io/v1beta1',
            kind: 'Workspace',
            metadata: { name: 'workspace', namespace: 'demo-a' },
            spec: { forProvider: { source: 'Inline', module: 'output "x" {\n  value = "y"\n}\n' } },
          },
        };
    }
  }

  private lose(what: Extract<Event, { kind: 'loss' }>['of']): void {
    switch (what) {
      case 'status':
      case 'first-bucket-of-status':
        this.namespace.loseStatus(what === 'status');
        return;
      case 'workspace-status':
        this.changeWorkspace(workspace => ({ ...workspace, object: without(workspace.object, 'status') }));
        return;
      case 'bucket-outputs':
        this.changeWorkspace(workspace => ({
          ...workspace,
          object: without(workspace.object, 'status', 'atProvider', 'outputs', 'buckets'),
        }));
        return;
      case 'buckets-annotation':
        this.changeWorkspace(workspace => ({
          ...workspace,
          object: without(workspace.object, 'metadata', 'annotations', 'tofuworkspace.fn.kueber.eu/buckets'),
        }));
        return;
      case 'connection-details':
        this.changeWorkspace(workspace => ({ ...workspace, connectionDetails: {} }));
        return;
      case 'half-of-connection-details':
        this.changeWorkspace(workspace => ({
          ...workspace,
          connectionDetails: Object.fromEntries(
            Object.entries(workspace.connectionDetails).filter(([key]) => key !== 'application_keys'),
          ),
        }));
        return;
      case 'provider-config':
        this.remove('ProviderConfig');
        return;
      case 'credentials-secret':
        this.remove('Secret');
    }
  }

  private changeWorkspace(change: (workspace: Composed) => Composed): void {
    const workspace = this.cluster.find('Workspace');
    if (workspace !== undefined) this.cluster.replace(change(workspace));
  }

  private remove(kind: string): void {
    const found = [...this.cluster.objects].find(([, { object }]) => object['kind'] === kind);
    if (found !== undefined) this.cluster.objects.delete(found[0]);
  }
}

/** A copy without the field at a path. */
function without(object: Fields, field: string, ...rest: readonly string[]): Fields {
  const [next, ...further] = rest;
  if (next === undefined) return Object.fromEntries(Object.entries(object).filter(([key]) => key !== field));
  const inner = readPath(object, field);
  return isRecord(inner) ? { ...object, [field]: without(inner, next, ...further) } : object;
}
