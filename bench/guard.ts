/**
 * CPU time of the function against that of the SDK's codec alone, on the same bytes and in the same process, in turns:
 * a ratio that hardly depends on the machine. `tsx bench/guard.ts` compares it with guard.json and fails where it is
 * more than 30 % higher; `tsx bench/guard.ts --record` writes guard.json anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide, refuseUnexpected } from '../src/decide.ts';
import { createFunction } from '../src/function.ts';
import { answerByCodec } from './floor.ts';
import { makeRequest } from './requests.ts';

const SIZES = [1, 10, 100];
const TOLERANCE = 1.3;
const ROUNDS = 15;
const ROUND_MS = 60;
/** Until V8 has compiled what is hot: before, the function, which is the larger program, looks twice as slow. */
const WARM_MS = 2_000;
const RECORD = join(import.meta.dirname, 'guard.json');

/** As the server logs: a line is made for each call, and thrown away here. */
const LOG = {
  debug: () => undefined,
  info: (fields: object, message: string) => JSON.stringify({ ...fields, message }),
  error: (fields: object) => {
    throw new Error(`the function failed: ${JSON.stringify(fields)}`);
  },
};

function cpuPerCall(answer: (request: Buffer) => unknown, request: Buffer, milliseconds = ROUND_MS): number {
  const start = process.cpuUsage();
  const used = (): number => {
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  let calls = 0;
  for (; calls < 3 || used() < milliseconds * 1000; calls += 1) answer(request);
  return used() / calls;
}

/** The median of many short rounds, each of which measures both: what disturbs one disturbs the other. */
export function measureRatio(size: number): number {
  const request = makeRequest(size);
  const run = createFunction({ decide, refuseUnexpected, log: LOG });
  const round = (): number => cpuPerCall(run, request) / cpuPerCall(answerByCodec, request);
  for (const answer of [run, answerByCodec]) cpuPerCall(answer, request, WARM_MS);
  const ratios = Array.from({ length: ROUNDS }, round).sort((a, b) => a - b);
  return ratios[Math.floor(ROUNDS / 2)] ?? NaN;
}

/** @returns whether every ratio is within what guard.json allows */
function compare(measured: ReadonlyMap<string, number>): boolean {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, number>;
  const slower = [...measured].filter(([size, first]) => {
    const limit = (recorded[size] ?? NaN) * TOLERANCE;
    // A busy machine can spoil one measurement; what is slower is so twice.
    const ratio = first <= limit ? first : Number(measureRatio(Number(size)).toFixed(3));
    const holds = ratio <= limit;
    console.log(`${size}: ${ratio} × the codec, limit ${limit.toFixed(3)}: ${holds ? 'holds' : 'SLOWER'}`);
    return !holds;
  });
  return slower.length === 0;
}

if (import.meta.filename === process.argv[1]) {
  const measured = new Map(SIZES.map(size => [String(size), Number(measureRatio(size).toFixed(3))]));
  if (process.argv.includes('--record'))
    writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(measured), null, 2)}\n`);
  else if (!compare(measured)) process.exitCode = 1;
}
