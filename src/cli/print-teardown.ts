import {
  isAgainst,
  type Check,
  type PlannedBucket,
  type Stage,
  type Step,
  type TeardownPlan,
  type Way,
} from '../teardown/plan.ts';
import { printable } from './printable.ts';
import { printTable } from './table.ts';

const STAGE: Readonly<Record<Stage, string>> = {
  unknown: 'not everything could be read, so nothing is planned',
  absent: 'there is no Workspace',
  terminating: 'its deletion was asked for already',
  'without-buckets': 'its state holds no bucket',
  protected: 'every destroy of a bucket is refused',
  changing: 'retainBuckets and the module do not say the same yet',
  unprotected: 'a deletion destroys its buckets',
};

/** The plan for people: what there is, what stands against it, the ways, and what goes in which order. */
export function printTeardown(plan: TeardownPlan): string {
  const sections = [
    [`Namespace ${plan.namespace}: ${plan.stage} (${STAGE[plan.stage]}). This command changes nothing.`],
    printBuckets(plan.buckets),
    printHolds(plan.holds),
    ['CHECKS', ...plan.checks.flatMap(printCheck)],
    ...plan.ways.map((way, index) => printWay(way, index + 1)),
    plan.order.length === 0
      ? []
      : [
          'WHAT GOES AFTER THE LAST COMMIT, IN THIS ORDER',
          ...plan.order.map((line, index) => `  ${index + 1}. ${line}`),
        ],
  ];
  return sections
    .filter(lines => lines.length > 0)
    .map(lines => lines.map(line => `${printable(line)}\n`).join(''))
    .join('\n');
}

function printBuckets(buckets: readonly PlannedBucket[]): readonly string[] {
  if (buckets.length === 0) return [];
  const files = { some: 'holds files', none: 'empty', unknown: 'not looked into' } as const;
  return [
    'BUCKETS OF ITS STATE',
    ...printTable([
      ['NAME', 'BUCKET ID', 'STATE', 'FILES'],
      ...buckets.map(bucket => [bucket.name, bucket.id ?? 'not in the outputs', bucket.state, files[bucket.files]]),
    ]).map(line => `  ${line}`),
  ];
}

function printHolds(holds: TeardownPlan['holds']): readonly string[] {
  if (holds.length === 0) return [];
  return [
    'HELD UNTIL THE WORKSPACE IS GONE',
    ...printTable([
      ['OBJECT', 'USAGE', 'HOLDS'],
      ...holds.map(({ object, usage, faults }) => [
        object,
        usage ?? '-',
        faults.length === 0 ? 'yes' : faults.join('; '),
      ]),
    ]).map(line => `  ${line}`),
  ];
}

function printCheck(check: Check): readonly string[] {
  const indent = ' '.repeat(13);
  return [
    `  ${check.verdict.padEnd(9)}  ${check.name}: ${check.asks}`,
    ...check.evidence.map(line => `${indent}${line}`),
    ...(check.verdict === 'met' || check.fix === undefined ? [] : [`${indent}-> ${check.fix}`]),
    ...(isAgainst(check) ? [`${indent}(stands against ${AGAINST[check.guards]})`] : []),
  ];
}

const AGAINST: Readonly<Record<Check['guards'], string>> = {
  'every way': 'every way',
  destroy: 'the ways that run a destroy',
  buckets: 'the way that destroys buckets',
};

function printWay(way: Way, number: number): readonly string[] {
  const head = [`WAY ${number}: ${way.title.toUpperCase()}`, `  ${way.outcome}`];
  if (way.refusedBy.length > 0) return [...head, `  refused by: ${way.refusedBy.join(', ')}`];
  return [...head, ...way.steps.flatMap((step, index) => printStep(step, index + 1))];
}

function printStep(step: Step, number: number): readonly string[] {
  return [`  ${number}. ${step.title}`, ...linesOf(step).map(line => `       ${line}`)];
}

function linesOf(step: Step): readonly string[] {
  switch (step.kind) {
    case 'commit':
      return step.lines;
    case 'run':
      return step.commands;
    case 'wait':
      return step.until.map(line => `- ${line}`);
    case 'by hand':
      return step.details;
  }
}
