/**
 * Whether the function costs more than it did: its CPU time against that of the SDK's codec alone, on the same bytes, in
 * the same process and in turns. `tsx bench/guard.ts` compares the ratios with guard.json and fails where one is more
 * than 30 % higher; `--record` writes guard.json anew.
 *
 * A busy machine makes CPU time longer, never shorter: caches and a core's other thread are shared. So each side is
 * measured in many short rounds, and the quickest round of each is what counts. V8 compiles on the thread that runs
 * (`--no-concurrent-recompilation`): on others, which a busy machine starves, nobody knew when it would be done.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { decide, refuseUnexpected } from '../src/decide.ts';
import { createFunction } from '../src/function.ts';
import { answerByCodec } from './floor.ts';
import { makeRequest } from './requests.ts';

/** Size, and calls until V8 has compiled what is hot: the function is the larger program and gains most. */
const WARM_CALLS = new Map([
  [1, 6_000],
  [10, 2_000],
  [100, 400],
]);
const SIZES = [...WARM_CALLS.keys()];
const TOLERANCE = 1.3;
const ROUNDS = 40;
/** Long enough for the clock of CPU time, short enough to fit between two disturbances. */
const ROUND_MS = 10;
/** A measurement that fails is made again: what is slower is so each time. */
const ATTEMPTS = 3;
const RECORD = join(import.meta.dirname, 'guard.json');

/** As the server logs: a line is made for each call, and thrown away here. */
const LOG = {
  debug: () => undefined,
  info: (fields: object, message: string) => JSON.stringify({ ...fields, message }),
  error: (fields: object) => {
    throw new Error(`the function failed: ${JSON.stringify(fields)}`);
  },
};

type Answer = (request: Buffer) => unknown;

function cpuPerCall(answer: Answer, request: Buffer, calls: number): number {
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) answer(request);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

const answers = [createFunction({ decide, refuseUnexpected, log: LOG }), answerByCodec];

/** All sizes before any is measured: what V8 makes of the code depends on all that went through it. */
function warm(): void {
  for (const [size, calls] of WARM_CALLS) for (const answer of answers) cpuPerCall(answer, makeRequest(size), calls);
}

function measureRatio(size: number): number {
  const request = makeRequest(size);
  const sides = answers.map(answer => {
    const calls = Math.max(1, Math.round((ROUND_MS * 1000) / cpuPerCall(answer, request, 5)));
    return { answer, calls, quickest: Infinity };
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of sides) side.quickest = Math.min(side.quickest, cpuPerCall(side.answer, request, side.calls));
  const [ours = NaN, floor = NaN] = sides.map(({ quickest }) => quickest);
  return ours / floor;
}

/** @returns whether every ratio is within what guard.json allows */
function compare(): boolean {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, number>;
  return SIZES.map(size => {
    const limit = (recorded[size] ?? NaN) * TOLERANCE;
    for (let attempt = 1; ; attempt += 1) {
      const ratio = measureRatio(size);
      const holds = ratio <= limit;
      console.log(
        `${size}: ${ratio.toFixed(2)} × the codec, recorded ${recorded[size] ?? 'never'}, limit ${limit.toFixed(2)}: ${holds ? 'holds' : 'SLOWER'}`,
      );
      if (holds || attempt === ATTEMPTS) return holds;
    }
  }).every(Boolean);
}

/** The lowest of several: a busy machine can only make a ratio look higher, and a limit too wide lets a loss pass. */
function record(): void {
  const ratios = SIZES.map(size => {
    const measured = Array.from({ length: 3 }, () => measureRatio(size));
    return [size, Number(Math.min(...measured).toFixed(2))];
  });
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
}

if (import.meta.filename === process.argv[1]) {
  setFlagsFromString('--no-concurrent-recompilation');
  warm();
  if (process.argv.includes('--record')) record();
  else if (!compare()) process.exitCode = 1;
}
