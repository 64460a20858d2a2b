/** What may happen to a namespace, as plain data: a failing sequence prints, shrinks and can be kept as an example. */
import fc from 'fast-check';
import { FULL_RUN, type Run } from './provider.ts';

/** Names that Schedules and the XR may speak of; the last one exists at Backblaze from the start. */
export const BUCKETS = ['alpha-1', 'beta-22', 'gamma-3', 'delta-4', 'older-5'] as const;
export const SCHEDULES = ['nightly', 'weekly', 'monthly'] as const;
export const ROUTES = ['web', 'api'] as const;
export const HOSTS = ['a.int.example.test', 'b.int.example.test'] as const;
export const STATE_BUCKETS = ['state-one', 'state-two'] as const;

type Bucket = (typeof BUCKETS)[number];
type Schedule = (typeof SCHEDULES)[number];

/** What can vanish that is not ours to keep. */
export const LOSSES = [
  'status',
  'first-bucket-of-status',
  'workspace-status',
  'bucket-outputs',
  'buckets-annotation',
  'connection-details',
  'half-of-connection-details',
  'provider-config',
  'credentials-secret',
] as const;

export type Event =
  | { readonly kind: 'schedule'; readonly name: Schedule; readonly bucket: Bucket; readonly upper: boolean }
  | { readonly kind: 'schedule-goes'; readonly name: Schedule }
  | { readonly kind: 'schedule-renamed'; readonly name: Schedule; readonly to: Schedule }
  | { readonly kind: 'schedule-labelled'; readonly name: Schedule; readonly on: boolean }
  | { readonly kind: 'schedule-readable'; readonly name: Schedule; readonly on: boolean }
  | { readonly kind: 'route'; readonly name: (typeof ROUTES)[number]; readonly host: (typeof HOSTS)[number] }
  | { readonly kind: 'route-goes'; readonly name: (typeof ROUTES)[number] }
  | { readonly kind: 'route-readable'; readonly name: (typeof ROUTES)[number]; readonly on: boolean }
  | { readonly kind: 'retain'; readonly on: boolean }
  | { readonly kind: 'release'; readonly bucket: Bucket; readonly upper: boolean; readonly on: boolean }
  | { readonly kind: 'adopt'; readonly bucket: Bucket; readonly id: 'right' | 'unknown' | 'of-another' | 'none' }
  | { readonly kind: 'moved'; readonly how: 'all' | 'first' | 'swapped' | 'none' }
  | {
      readonly kind: 'state-bucket';
      readonly to: (typeof STATE_BUCKETS)[number];
      readonly word: 'kept' | 'wrong' | 'none';
    }
  | { readonly kind: 'dns'; readonly on: boolean }
  | { readonly kind: 'unanswered'; readonly keys: readonly string[] }
  | { readonly kind: 'earlier-step'; readonly desires: 'nothing' | 'something' | 'our-key' | 'our-object' }
  | { readonly kind: 'loss'; readonly of: (typeof LOSSES)[number] }
  | { readonly kind: 'reconcile' }
  | { readonly kind: 'poll'; readonly run: Run };

export interface Step {
  readonly event: Event;
  /** What core and the provider get to do before the next event. */
  readonly then: 'nothing' | 'reconcile' | 'converge';
}

export interface Start {
  /** Buckets of an older Composition's module, in use; none: a new XR. */
  readonly older: readonly Bucket[];
  readonly retain: boolean;
  /** Whether the provider's conditions say of which generation they speak. */
  readonly reportsGeneration: boolean;
}

export interface History {
  readonly start: Start;
  readonly steps: readonly Step[];
}

const bucket = fc.constantFrom(...BUCKETS);
const schedule = fc.constantFrom(...SCHEDULES);
const route = fc.constantFrom(...ROUTES);
const on = fc.boolean();
const rarely = fc.integer({ min: 0, max: 4 }).map(value => value === 4);

function event<E extends Event>(kind: E['kind'], fields: { [K in Exclude<keyof E, 'kind'>]: fc.Arbitrary<E[K]> }) {
  return fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<Event>;
}

type Named<K extends Event['kind']> = Extract<Event, { kind: K }>;

/** What happens in a namespace in which nothing breaks. */
const ORDINARY: readonly fc.WeightedArbitrary<Event>[] = [
  { weight: 8, arbitrary: event<Named<'schedule'>>('schedule', { name: schedule, bucket, upper: rarely }) },
  { weight: 5, arbitrary: event<Named<'schedule-goes'>>('schedule-goes', { name: schedule }) },
  { weight: 2, arbitrary: event<Named<'schedule-renamed'>>('schedule-renamed', { name: schedule, to: schedule }) },
  {
    weight: 2,
    arbitrary: event<Named<'schedule-labelled'>>('schedule-labelled', { name: schedule, on }),
  },
  { weight: 2, arbitrary: event<Named<'retain'>>('retain', { on }) },
  { weight: 5, arbitrary: event<Named<'release'>>('release', { bucket, upper: rarely, on: fc.constant(true) }) },
  { weight: 2, arbitrary: event<Named<'release'>>('release', { bucket, upper: rarely, on: fc.constant(false) }) },
  { weight: 2, arbitrary: event<Named<'adopt'>>('adopt', { bucket, id: fc.constantFrom('right', 'none') }) },
  {
    weight: 2,
    arbitrary: event<Named<'route'>>('route', { name: route, host: fc.constantFrom(...HOSTS) }),
  },
  { weight: 1, arbitrary: event<Named<'route-goes'>>('route-goes', { name: route }) },
  { weight: 3, arbitrary: event<Named<'reconcile'>>('reconcile', {}) },
  {
    weight: 4,
    arbitrary: event<Named<'poll'>>('poll', {
      run: fc.record({
        stopAfter: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2),
        stale: rarely,
        unreported: rarely,
      }),
    }),
  },
];

/** What people write by mistake, what gets lost, and what others do. */
const FAULTS: readonly fc.WeightedArbitrary<Event>[] = [
  {
    weight: 2,
    arbitrary: event<Named<'schedule-readable'>>('schedule-readable', { name: schedule, on }),
  },
  { weight: 1, arbitrary: event<Named<'route-readable'>>('route-readable', { name: route, on }) },
  {
    weight: 1,
    arbitrary: event<Named<'adopt'>>('adopt', { bucket, id: fc.constantFrom('unknown', 'of-another') }),
  },
  { weight: 3, arbitrary: event<Named<'moved'>>('moved', { how: fc.constantFrom('all', 'first', 'swapped', 'none') }) },
  {
    weight: 2,
    arbitrary: event<Named<'state-bucket'>>('state-bucket', {
      to: fc.constantFrom(...STATE_BUCKETS),
      word: fc.constantFrom('kept', 'wrong', 'none'),
    }),
  },
  { weight: 1, arbitrary: event<Named<'dns'>>('dns', { on }) },
  {
    weight: 3,
    arbitrary: event<Named<'unanswered'>>('unanswered', { keys: fc.subarray(['schedules', 'routes', 'namespace']) }),
  },
  {
    weight: 2,
    arbitrary: event<Named<'earlier-step'>>('earlier-step', {
      desires: fc.constantFrom('nothing', 'something', 'our-key', 'our-object'),
    }),
  },
  { weight: 10, arbitrary: event<Named<'loss'>>('loss', { of: fc.constantFrom(...LOSSES) }) },
];

function steps(events: readonly fc.WeightedArbitrary<Event>[]): fc.Arbitrary<readonly Step[]> {
  const step = fc.record({
    event: fc.oneof(...events),
    then: fc.constantFrom('nothing' as const, 'reconcile' as const, 'converge' as const),
  });
  return fc.array(step, { maxLength: 30, size: 'max' });
}

const start: fc.Arbitrary<Start> = fc.record({
  older: fc.constantFrom<readonly Bucket[]>([], [], ['alpha-1'], ['alpha-1', 'beta-22']),
  retain: fc.boolean(),
  reportsGeneration: fc.boolean(),
});

export const ordinaryHistory: fc.Arbitrary<History> = fc.record({ start, steps: steps(ORDINARY) });
export const anyHistory: fc.Arbitrary<History> = fc.record({ start, steps: steps([...ORDINARY, ...FAULTS]) });

export function step(happened: Event, then: Step['then'] = 'nothing'): Step {
  return { event: happened, then };
}

export const POLL: Event = { kind: 'poll', run: FULL_RUN };
