/**
 * Whether the function costs more than it did: its CPU time against that of the SDK's codec alone, on the same bytes, in
 * the same process and in turns. `tsx bench/guard.ts` compares the ratios with guard.json and fails where one is more
 * than 30 % higher; `--record` writes guard.json anew.
 *
 * A busy machine makes CPU time longer, never shorter: caches and a core's other thread are shared. So each side is
 * measured in many short rounds, and the quickest round of each is what counts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide, refuseUnexpected } from '../src/decide.ts';
import { createFunction } from '../src/function.ts';
import { answerByCodec } from './floor.ts';
import { makeRequest } from './requests.ts';

const SIZES = [1, 10, 100];
const TOLERANCE = 1.3;
const ROUNDS = 40;
/** Long enough for the clock of CPU time, short enough to fit between two disturbances. */
const ROUND_MS = 10;
/** Calls until V8 has compiled what is hot, by size: the function is the larger program and gains most. */
const WARM_CALLS = 3_000;
const WARM_MS = 1_000;
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

/** @returns microseconds per call once warm, by which the length of a round is chosen */
function warm(answer: Answer, request: Buffer): number {
  const start = process.cpuUsage();
  const used = (): number => {
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  for (let calls = 0; calls < WARM_CALLS && used() < WARM_MS * 1000; calls += 1) answer(request);
  return cpuPerCall(answer, request, 5);
}

export function measureRatio(size: number): number {
  const request = makeRequest(size);
  const sides = [createFunction({ decide, refuseUnexpected, log: LOG }), answerByCodec].map(answer => {
    const calls = Math.max(1, Math.round((ROUND_MS * 1000) / warm(answer, request)));
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

/** The middle one of several, so that a lucky measurement does not make the limit narrow. */
function record(): void {
  const ratios = SIZES.map(size => {
    const measured = Array.from({ length: 5 }, () => measureRatio(size)).sort((a, b) => a - b);
    return [size, Number((measured[2] ?? NaN).toFixed(2))];
  });
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
}

if (import.meta.filename === process.argv[1]) {
  if (process.argv.includes('--record')) record();
  else if (!compare()) process.exitCode = 1;
}
