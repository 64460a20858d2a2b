import { MEANING, type DriftRow, type Outcome } from './row.ts';

const MOST_ADDRESSES = 20;

/** One table, and a sum below it. */
export function printDrift(rows: readonly DriftRow[]): string {
  const table = [
    ['LAYER', 'IT', 'WHAT', 'OUTCOME', 'DETAIL'],
    ...rows.map(({ layer, subject, outcome }) => [layer, MEANING[layer], subject, outcome.kind, outcome.detail]),
  ];
  const widths = [0, 1, 2, 3].map(column => Math.max(...table.map(cells => cells[column]?.length ?? 0)));
  const [head = '', ...lines] = table.map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const body = lines.flatMap((line, index) => [line, ...printMore(rows[index])]);
  // Keys of for_each and reasons are others' text: a table has lines of its own.
  const printed = [head, ...body].map(line => line.replaceAll(/\p{Cc}/gu, ' '));
  return `${printed.join('\n')}\n\n${printSum(rows)}\n`;
}

function printMore(row: DriftRow | undefined): readonly string[] {
  if (row === undefined || row.outcome.kind === 'no drift') return [];
  const addresses = 'addresses' in row.outcome ? (row.outcome.addresses ?? []) : [];
  const rest = addresses.length - MOST_ADDRESSES;
  return [
    ...addresses.slice(0, MOST_ADDRESSES).map(address => `    ${address}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
    ...(row.command === undefined ? [] : [`    $ ${row.command}`]),
  ];
}

const KINDS = ['drift', 'failed', 'not checked', 'no drift'] as const satisfies readonly Outcome['kind'][];

export function printSum(rows: readonly DriftRow[]): string {
  return KINDS.map(kind => `${rows.filter(({ outcome }) => outcome.kind === kind).length} ${kind}`).join(', ');
}

/** Fields are added, never renamed: `version` is raised where that does not do. */
export function toJson(rows: readonly DriftRow[]): unknown {
  return {
    version: 1,
    clean: isClean(rows),
    rows: rows.map(({ layer, subject, outcome, command }) => ({
      layer,
      means: MEANING[layer],
      subject,
      outcome: outcome.kind,
      detail: outcome.detail,
      addresses: 'addresses' in outcome ? (outcome.addresses ?? []) : [],
      ...(command === undefined ? {} : { command }),
    })),
  };
}

/** Everything that was asked for was checked, and has no drift. */
export function isClean(rows: readonly DriftRow[]): boolean {
  return rows.every(({ outcome }) => outcome.kind === 'no drift');
}
