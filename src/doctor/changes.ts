/** What differs between two looks. */
import type { Diagnosed } from './diagnose.ts';
import { toJsonVerdict } from './print.ts';

export interface Changes {
  readonly appeared: readonly Diagnosed[];
  readonly gone: readonly Diagnosed[];
}

export function compareDiagnoses(before: readonly Diagnosed[], after: readonly Diagnosed[]): Changes {
  const [old, now] = [new Set(before.map(nameOf)), new Set(after.map(nameOf))];
  return {
    appeared: after.filter(entry => !old.has(nameOf(entry))),
    gone: before.filter(entry => !now.has(nameOf(entry))),
  };
}

function nameOf(entry: Diagnosed): string {
  const { row, verdict, evidence, side, text } = toJsonVerdict(entry);
  return JSON.stringify([row, verdict, evidence, side, text]);
}
