import { parseArgs } from 'node:util';
import { consider, parse, type Considered } from '../decide.ts';
import { quoteShort } from '../errors.ts';
import type { Decision } from '../decision.ts';
import type { Schedule } from '../cluster/schedule.ts';
import type { BackupBucket } from '../intent/intent.ts';
import { BUCKET_FATE } from '../page/bucket-fate.ts';
import { CASE_FLAGS, CASE_USAGE, decideCase, findCaseFiles } from './case.ts';
import type { Command } from './command.ts';
import { explainAsMermaid, writePage } from './explain-graph.ts';
import { parseFlags } from './flags.ts';
import { UsageError } from './usage-error.ts';

export const explain: Command = {
  usage: `[CASE_FOLDER] [flags]

Runs the function's decision on files and prints which Schedule or route led to what, and
what was ignored and why. Needs no cluster, no Docker, no server.

${CASE_USAGE}
  --mermaid     print the graph in Mermaid's language instead of tables
  --html FILE   write one page that needs no network: the graph, and on a click the reasons,
                objects and HCL behind a box; no Secret's value is in it

Exit codes: 0 decided, 1 refused (the Fatal message is on stderr), 2 wrong usage or unreadable files.
`,
  run(args) {
    const options = { ...CASE_FLAGS, mermaid: { type: 'boolean' }, html: { type: 'string' } } as const;
    const { values, positionals } = parseFlags(1, () =>
      parseArgs({ args: [...args], options, allowPositionals: true }),
    );
    if (values.mermaid === true && values.html !== undefined)
      throw new UsageError('--mermaid and --html show one graph two ways: give one of them');
    const { observation, decision } = decideCase(findCaseFiles(positionals[0], values));
    if (decision.kind === 'refused') {
      process.stderr.write(`refused: ${decision.fatal}\n`);
      return 1;
    }
    const considered = consider(observation, parse(observation));
    // The files answer every requirement: it waits for nothing.
    if (decision.kind === 'settled' && values.html !== undefined) {
      writePage(values.html, considered, decision);
      process.stderr.write(`written: ${values.html}\n`);
    } else if (decision.kind === 'settled' && values.mermaid === true)
      process.stdout.write(explainAsMermaid(considered, decision));
    else process.stdout.write(explainDecision(considered, decision));
    return 0;
  },
};

type Row = readonly [from: string, what: string, becomes: string];

/** A table: which Schedule or route led to what, and what was ignored and why. */
export function explainDecision({ app, intent }: Considered, decision: Decision): string {
  const rows: Row[] = [
    ['FROM', 'WHAT', 'BECOMES'],
    ...app.schedules.flatMap(schedule => explainSchedule(schedule, intent.buckets)),
    ...intent.buckets.filter(({ state }) => state !== 'Wanted').map(explainUnwanted),
    ...app.routes.flatMap(({ name, hosts, ignored }): Row[] => [
      ...hosts.map(({ name: host }): Row => [
        `HTTPRoute ${name}`,
        host,
        intent.dns === undefined ? 'nothing' : `record ${intent.dns.type} ${intent.dns.content} ttl ${intent.dns.ttl}`,
      ]),
      ...ignored.map(({ host, why }): Row => [`HTTPRoute ${name}`, quoteShort(host), `ignored: ${why}`]),
      ...(hosts.length + ignored.length === 0
        ? [[`HTTPRoute ${name}`, '', 'ignored: it names no host; its listener is not ours to read'] satisfies Row]
        : []),
    ]),
    ...app.routeFaults.map((fault): Row => ['HTTPRoute', '', `records stay: ${fault}`]),
  ];
  const conditions: Row[] = [
    ['CONDITION', 'STATUS', 'REASON'],
    ...decision.conditions.map(({ type, status, reason, message }): Row => [
      type,
      status,
      message === '' ? reason : `${reason}: ${message}`,
    ]),
  ];
  const warnings = decision.warnings.map(warning => `warning: ${warning}\n`).join('');
  return `${printTable(rows)}\n${printTable(conditions)}${warnings === '' ? '' : `\n${warnings}`}`;
}

function explainSchedule({ name, backend }: Schedule, buckets: readonly BackupBucket[]): Row[] {
  if (backend.kind === 'other') return [[`Schedule ${name}`, '', `ignored: ${backend.why}`]];
  const bucket = buckets.find(({ key }) => key === backend.bucket.toLowerCase());
  if (bucket?.state !== 'Wanted') return [];
  const becomes = `bucket ${bucket.name}, key ${bucket.applicationKeyName}, Secret ${bucket.secretName}`;
  return [[`Schedule ${name}`, `${backend.path}.bucket ${backend.bucket}`, becomes]];
}

function explainUnwanted({ name, state }: BackupBucket): Row {
  return ['memory', `bucket ${name}`, `${state}: ${BUCKET_FATE[state]}`];
}

function printTable(rows: readonly Row[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map(row => row[column].length));
  const [first, second] = [width(0), width(1)];
  return rows.map(([a, b, c]) => `${a.padEnd(first)}  ${b.padEnd(second)}  ${c}\n`).join('');
}
