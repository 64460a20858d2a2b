/** Conditions as crossplane-runtime sets them. */

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly lastTransitionTime: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

export const AVAILABLE: NewCondition = { type: 'Ready', status: 'True', reason: 'Available' };
export const CREATING: NewCondition = { type: 'Ready', status: 'False', reason: 'Creating' };
export const DELETING: NewCondition = { type: 'Ready', status: 'False', reason: 'Deleting' };
export const RECONCILE_SUCCESS: NewCondition = { type: 'Synced', status: 'True', reason: 'ReconcileSuccess' };
export const RECONCILE_PAUSED: NewCondition = { type: 'Synced', status: 'False', reason: 'ReconcilePaused' };

export function reconcileError(message: string): NewCondition {
  return { type: 'Synced', status: 'False', reason: 'ReconcileError', message };
}

/** A ProviderConfig that is deleted and still used. */
export function terminating(message: string): NewCondition {
  return { type: 'Terminating', status: 'True', reason: 'InUse', message };
}

/** Each takes the place of the one of its type. One that says the same keeps its time, so that nothing is written. */
export function setConditions(
  conditions: readonly Condition[],
  added: readonly NewCondition[],
  now: Date,
): readonly Condition[] {
  const set = [...conditions];
  for (const condition of added) {
    const index = set.findIndex(({ type }) => type === condition.type);
    const existing = set[index];
    if (existing !== undefined && saysTheSame(existing, condition)) continue;
    // The API has no fractions of seconds here.
    const timed = { ...condition, lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, 'Z') };
    if (existing === undefined) set.push(timed);
    else set[index] = timed;
  }
  return set;
}

function saysTheSame(existing: Condition, condition: NewCondition): boolean {
  return (
    existing.status === condition.status &&
    existing.reason === condition.reason &&
    (existing.message ?? '') === (condition.message ?? '') &&
    existing.observedGeneration === condition.observedGeneration
  );
}
