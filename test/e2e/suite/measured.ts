/** What a run measured, for the pages that quote it: one JSON object a line in a file that outlives the run. */
import { appendFileSync } from 'node:fs';
import { required } from './cluster.ts';

export function record(what: string, values: Readonly<Record<string, number | string>>): void {
  const line = JSON.stringify({ what, ...values });
  appendFileSync(required('E2E_MEASURED'), `${line}\n`);
  console.log(`measured: ${line}`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
