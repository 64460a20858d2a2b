/**
 * No bucket, no Workspace, no state and no credentials are ever lost: random histories of a namespace, run
 * through the real function against models of Crossplane, provider-opentofu, OpenTofu and Backblaze.
 *
 * A failing history prints with its seed and path; `PROPERTY_SEED=… PROPERTY_PATH=…` replays it, and
 * `PROPERTY_RUNS` raises the number of histories.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyHistory, ordinaryHistory, step, type Event, type History, type Start } from './model/events.ts';
import { settleDown } from './model/people.ts';
import { FULL_RUN } from './model/provider.ts';
import { World } from './model/world.ts';
import { runOptions } from './run-options.ts';

function run({ start, steps }: History): World {
  const world = new World(start);
  for (const [index, step] of steps.entries()) {
    world.step(step);
    expect(world.violations, `after step ${index}`).toEqual([]);
  }
  return world;
}

function runToRest(history: History): World {
  const world = run(history);
  settleDown(world);
  expect(world.violations, 'at rest').toEqual([]);
  return world;
}

const FAILS_AFTER_ONE_CHANGE: Event = { kind: 'poll', run: { ...FULL_RUN, stopAfter: 1 } };
/** OpenTofu applies, and the update of the Workspace's status is lost. */
const UNREPORTED: Event = { kind: 'poll', run: { ...FULL_RUN, unreported: true } };
const NEW: Start = { older: [], retain: true, reportsGeneration: true };
const NIGHTLY = { kind: 'schedule', name: 'nightly', bucket: 'alpha-1', upper: false } as const;
const WEEKLY: Event = { kind: 'schedule', name: 'weekly', bucket: 'beta-22', upper: false };

interface Kept extends History {
  readonly name: string;
  readonly reason: string;
  /** Nobody has to adopt anything. */
  readonly unaided?: true;
}

/** Each lost something once, or would where one guard is taken away that random histories seldom reach. */
const KEPT: readonly Kept[] = [
  {
    name: 'a move is dropped before it is applied',
    reason: 'the bucket is in state under an address that no block stands for any more',
    start: { ...NEW, older: ['alpha-1'] },
    steps: [step({ kind: 'reconcile' }), step({ kind: 'moved', how: 'none' }, 'converge')],
  },
  {
    name: 'the same, with a provider that does not say which module it applied',
    reason: 'Synced is still True of the older module',
    start: { ...NEW, reportsGeneration: false, older: ['alpha-1'] },
    steps: [step({ kind: 'reconcile' }), step({ kind: 'moved', how: 'none' }, 'converge')],
  },
  {
    name: 'a move is given another bucket before it is applied, and nothing protects',
    reason: 'bucket_name forces replacement',
    start: { ...NEW, retain: false, older: ['alpha-1', 'beta-22'] },
    steps: [step({ kind: 'reconcile' }), step({ kind: 'moved', how: 'swapped' }, 'converge')],
  },
  {
    name: 'a released bucket still stands in movedFrom when its release is taken out',
    reason: 'the module would make a bucket that exists',
    start: { ...NEW, older: ['alpha-1'] },
    steps: [
      step({ kind: 'schedule-goes', name: 'nightly' }, 'converge'),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'converge'),
      step({ kind: 'reconcile' }, 'converge'),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: false }, 'converge'),
    ],
  },
  {
    name: 'the same, before OpenTofu applied the module without it',
    reason: 'a Workspace that is not Synced proves nothing, and movedFrom would count as memory again',
    start: { ...NEW, older: ['alpha-1'] },
    steps: [
      step({ kind: 'schedule-goes', name: 'nightly' }, 'converge'),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'converge'),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: false }, 'reconcile'),
      step({ kind: 'reconcile' }, 'converge'),
    ],
  },
  {
    name: "an older Composition's ProviderConfig is gone when the state bucket changes",
    reason: 'nobody says where the state is, and another place holds an empty one',
    start: { ...NEW, older: ['alpha-1'] },
    steps: [
      step({ kind: 'loss', of: 'provider-config' }),
      step({ kind: 'state-bucket', to: 'state-two', word: 'none' }, 'converge'),
    ],
  },
  {
    name: 'an earlier step desires what is ours while nothing is answered',
    reason: 'its answer would replace the Workspace',
    start: NEW,
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'unanswered', keys: ['schedules'] }),
      step({ kind: 'earlier-step', desires: 'our-key' }, 'reconcile'),
      step({ kind: 'earlier-step', desires: 'our-object' }, 'reconcile'),
    ],
  },
  {
    name: 'Schedules are not answered',
    reason: 'absent is not empty',
    start: { ...NEW, retain: false },
    steps: [step(NIGHTLY, 'converge'), step({ kind: 'unanswered', keys: ['schedules'] }, 'converge')],
  },
  {
    name: 'a Schedule becomes unreadable',
    reason: 'its bucket would be unknown',
    start: { ...NEW, retain: false },
    steps: [step(NIGHTLY, 'converge'), step({ kind: 'schedule-readable', name: 'nightly', on: false }, 'converge')],
  },
  {
    name: 'a Schedule spells its bucket otherwise',
    reason: 'bucket_name forces replacement',
    start: { ...NEW, retain: false },
    steps: [step(NIGHTLY, 'converge'), step({ ...NIGHTLY, upper: true }, 'converge')],
  },
  {
    name: 'connection details vanish',
    reason: 'a Secret that is left out is deleted under running backups',
    start: NEW,
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'loss', of: 'half-of-connection-details' }, 'reconcile'),
      step({ kind: 'loss', of: 'connection-details' }, 'reconcile'),
    ],
  },
  {
    name: 'only the annotation remembers',
    unaided: true,
    reason: 'outputs and status are gone with their Schedule',
    start: { ...NEW, retain: false },
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'loss', of: 'workspace-status' }),
      step({ kind: 'loss', of: 'status' }, 'converge'),
    ],
  },
  {
    name: 'only status remembers',
    unaided: true,
    reason: 'outputs and annotation are gone with their Schedule',
    start: NEW,
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'loss', of: 'workspace-status' }),
      step({ kind: 'loss', of: 'buckets-annotation' }, 'converge'),
    ],
  },
  {
    name: 'only outputs remember',
    unaided: true,
    reason: 'annotation and status are gone with their Schedule',
    start: { ...NEW, retain: false },
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'poll', run: FULL_RUN }),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'loss', of: 'buckets-annotation' }),
      step({ kind: 'loss', of: 'status' }, 'converge'),
    ],
  },
  {
    name: 'all memory is lost while nothing protects',
    reason: 'nobody knows what a shorter list would destroy',
    start: { ...NEW, retain: false },
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'loss', of: 'status' }),
      step({ kind: 'loss', of: 'workspace-status' }),
      step({ kind: 'loss', of: 'buckets-annotation' }, 'converge'),
    ],
  },
  {
    name: 'only outputs are left, and they are older than the state',
    reason: 'an apply that fails half-way leaves buckets that no output lists',
    start: { ...NEW, retain: false },
    steps: [
      step(NIGHTLY, 'converge'),
      step(WEEKLY, 'reconcile'),
      step(FAILS_AFTER_ONE_CHANGE),
      step({ kind: 'schedule-goes', name: 'weekly' }),
      step({ kind: 'loss', of: 'status' }),
      step({ kind: 'loss', of: 'buckets-annotation' }, 'converge'),
    ],
  },
  {
    name: 'a bucket of a half-finished apply is released',
    reason: 'outputs that do not list it prove nothing until the release is applied',
    start: { ...NEW, retain: false },
    steps: [
      step(NIGHTLY, 'reconcile'),
      step(FAILS_AFTER_ONE_CHANGE),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'reconcile'),
      step({ kind: 'reconcile' }),
      step({ kind: 'poll', run: { ...FULL_RUN, stopAfter: 0 } }),
      step({ kind: 'reconcile' }, 'converge'),
    ],
  },
  {
    name: 'a release overtakes the apply that makes its bucket, with a provider that does not say which module it applied',
    reason: 'Synced is still True of the module before, and the outputs do not list the bucket yet',
    start: { ...NEW, retain: false, reportsGeneration: false },
    steps: [
      step(WEEKLY, 'converge'),
      step(NIGHTLY, 'reconcile'),
      step(UNREPORTED),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'reconcile'),
      step({ kind: 'reconcile' }, 'converge'),
    ],
  },
  {
    name: 'the same, for a bucket that was released and adopted before',
    reason: 'the outputs still tell of the first release',
    start: { ...NEW, reportsGeneration: false },
    steps: [
      step(NIGHTLY, 'converge'),
      step({ kind: 'schedule-goes', name: 'nightly' }),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'converge'),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: false }, 'reconcile'),
      step({ kind: 'adopt', bucket: 'alpha-1', id: 'right' }, 'reconcile'),
      step(UNREPORTED),
      step({ kind: 'adopt', bucket: 'alpha-1', id: 'none' }),
      step({ kind: 'retain', on: false }),
      step({ kind: 'release', bucket: 'alpha-1', upper: false, on: true }, 'reconcile'),
      step({ kind: 'reconcile' }, 'converge'),
    ],
  },
];

describe.each(KEPT)('$name: $reason', history => {
  it('nothing is lost, and it comes to rest', () => {
    const { namespace } = runToRest(history);
    if (history.unaided === true) expect(namespace.adopted).toEqual(new Map());
  });
});

describe('whatever happens to a namespace', () => {
  it('in the ordinary course of things nothing is lost, and everything comes to rest', () => {
    fc.assert(
      fc.property(ordinaryHistory, history => {
        runToRest(history);
      }),
      runOptions(150),
    );
  }, 600_000);

  it('with faults, mistakes and losses nothing is lost, and people can bring it to rest', () => {
    fc.assert(
      fc.property(anyHistory, history => {
        runToRest(history);
      }),
      runOptions(300),
    );
  }, 600_000);
});
