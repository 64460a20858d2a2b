/** A diagnosis for people, and for machines. */
import { countKinds, type Diagnosed } from './diagnose.ts';
import { printEvidence, type Evidence, type Fix } from './row.ts';

const WIDTH = 14;

/** What is wrong with its fixes, then what was not looked at, then what is fine, one line each; a sum at the end. */
export function printDiagnosis(diagnosis: readonly Diagnosed[]): string {
  return `${diagnosis.map(printDiagnosed).join('')}\n${printSum(diagnosis)}\n`;
}

export function printDiagnosed({ row, verdict }: Diagnosed): string {
  switch (verdict.kind) {
    case 'broken':
    case 'warning':
      return [
        `${verdict.kind.toUpperCase().padEnd(WIDTH)}${row.id}  ${printEvidence(verdict.evidence)}`,
        indent(verdict.found),
        ...verdict.fixes.flatMap((fix, index) => printFix(fix, index + 1)),
        '',
        '',
      ].join('\n');
    case 'not looked at':
      return `${'NOT LOOKED AT'.padEnd(WIDTH)}${row.id}  ${verdict.side}: ${oneLine(verdict.why)}\n`;
    case 'fine':
      return `${'FINE'.padEnd(WIDTH)}${row.id}  ${verdict.side}: ${verdict.looked}\n`;
  }
}

export function printSum(diagnosis: readonly Diagnosed[]): string {
  const { broken, warning, fine, ...rest } = countKinds(diagnosis);
  return `${broken} broken, ${warning} to be warned of, ${rest['not looked at']} not looked at, ${fine} fine`;
}

function printFix(fix: Fix, number: number): readonly string[] {
  const does = fix.destroys === true ? `DESTROYS BUCKETS. ${fix.does}` : fix.does;
  return [indent(`${number}. ${does}`), ...(fix.commands ?? []).map(command => indent(`   $ ${command}`))];
}

function indent(line: string): string {
  return `${' '.repeat(WIDTH)}${oneLine(line)}`;
}

/** Messages of others may have line ends and control characters; a table has lines of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}

interface JsonFix {
  readonly does: string;
  readonly commands: readonly string[];
  readonly destroys: boolean;
}

/** One verdict as the JSON has it. Fields are added, never renamed: `version` is raised where that does not do. */
export interface JsonVerdict {
  readonly row: string;
  readonly verdict: 'broken' | 'warning' | 'not looked at' | 'fine';
  readonly symptom: string;
  readonly seam: string;
  /** Of a broken or warning verdict; `file` and `line`, or `kind`, `namespace` and `name` of an object. */
  readonly evidence?: Readonly<Record<string, string | number>>;
  /** Of the others. */
  readonly side?: 'infra' | 'cluster';
  /** What was found, looked at, or why nothing was. */
  readonly text: string;
  readonly fixes?: readonly JsonFix[];
}

export interface JsonDiagnosis {
  readonly version: 1;
  readonly broken: number;
  readonly warnings: number;
  readonly notLookedAt: number;
  readonly fine: number;
  /** Worst first. */
  readonly verdicts: readonly JsonVerdict[];
}

export function toJson(diagnosis: readonly Diagnosed[]): JsonDiagnosis {
  const { broken, warning, fine, ...rest } = countKinds(diagnosis);
  return {
    ...{ version: 1, broken, warnings: warning, notLookedAt: rest['not looked at'], fine },
    verdicts: diagnosis.map(toJsonVerdict),
  };
}

export function toJsonVerdict({ row, verdict }: Diagnosed): JsonVerdict {
  const about = { row: row.id, verdict: verdict.kind, symptom: row.symptom, seam: row.seam };
  switch (verdict.kind) {
    case 'broken':
    case 'warning':
      return {
        ...about,
        evidence: toJsonEvidence(verdict.evidence),
        text: verdict.found,
        fixes: verdict.fixes.map(({ does, commands = [], destroys = false }) => ({ does, commands, destroys })),
      };
    case 'not looked at':
      return { ...about, side: verdict.side, text: verdict.why };
    case 'fine':
      return { ...about, side: verdict.side, text: verdict.looked };
  }
}

function toJsonEvidence(evidence: Evidence): Readonly<Record<string, string | number>> {
  if (evidence.kind === 'file') return { file: evidence.file, line: evidence.line };
  const { object, namespace, name } = evidence;
  return { kind: object, ...(namespace === undefined ? {} : { namespace }), name };
}
