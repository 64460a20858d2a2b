import { describe, expect, it } from 'vitest';
import { AVAILABLE, CREATING, RECONCILE_SUCCESS, reconcileError, setConditions, type Condition } from './conditions.ts';

const THEN = new Date('2026-01-01T00:00:00.900Z');
const NOW = new Date('2026-01-02T00:00:00Z');

describe('conditions', () => {
  const before = setConditions([], [CREATING, { ...RECONCILE_SUCCESS, observedGeneration: 1 }], THEN);

  it('are added in order, with whole seconds', () => {
    expect(before).toEqual([
      { type: 'Ready', status: 'False', reason: 'Creating', lastTransitionTime: '2026-01-01T00:00:00Z' },
      {
        type: 'Synced',
        status: 'True',
        reason: 'ReconcileSuccess',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it.each([
    { name: 'the same', added: { ...RECONCILE_SUCCESS, observedGeneration: 1 }, changed: false },
    { name: 'another generation', added: { ...RECONCILE_SUCCESS, observedGeneration: 2 }, changed: true },
    { name: 'another status', added: { ...reconcileError('no'), observedGeneration: 1 }, changed: true },
  ])('keep their time for $name: $changed', ({ added, changed }) => {
    const after = setConditions(before, [added], NOW);
    const time = after.find(({ type }) => type === 'Synced')?.lastTransitionTime;
    expect(time).toBe(changed ? '2026-01-02T00:00:00Z' : '2026-01-01T00:00:00Z');
    expect(after).toHaveLength(2);
  });

  it('take the place of the one of their type, generation and message included', () => {
    const old: Condition = { ...reconcileError('no'), type: 'Ready', observedGeneration: 3, lastTransitionTime: 'x' };
    expect(setConditions([old], [AVAILABLE], NOW)).toEqual([
      { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2026-01-02T00:00:00Z' },
    ]);
  });
});
