/** Lets every row look, and puts what is worst first. */
import type { Row, Sources, Verdict } from './row.ts';
import { ROWS } from './rows.ts';

export interface Diagnosed {
  readonly row: Row;
  readonly verdict: Verdict;
}

export type VerdictKind = Verdict['kind'];

/** Worst first. What was not looked at may be anything, so it stands before what is fine. */
export const VERDICT_KINDS: readonly VerdictKind[] = ['broken', 'warning', 'not looked at', 'fine'];

/** Within one kind in the order of the rows. */
export function diagnose(sources: Sources, rows: readonly Row[] = ROWS): readonly Diagnosed[] {
  const all = rows.flatMap(row => withoutRepeats(row.look(sources)).map(verdict => ({ row, verdict })));
  return VERDICT_KINDS.flatMap(kind => all.filter(({ verdict }) => verdict.kind === kind));
}

/** Two looks of one row that could not be made for the same reason are said once. */
function withoutRepeats(verdicts: readonly Verdict[]): readonly Verdict[] {
  return [...new Map(verdicts.map(verdict => [JSON.stringify(verdict), verdict])).values()];
}

export function countKinds(diagnosis: readonly Diagnosed[]): Readonly<Record<VerdictKind, number>> {
  const count = (kind: VerdictKind): number => diagnosis.filter(({ verdict }) => verdict.kind === kind).length;
  return {
    broken: count('broken'),
    warning: count('warning'),
    'not looked at': count('not looked at'),
    fine: count('fine'),
  };
}
