/**
 * Puts the server beside what nothing can be quicker than and beside peers, on the same requests and in the same run, and
 * writes the tables and the plot of docs/performance.md.
 *
 *   tsx bench/run.ts [--seconds N] [--sizes 1,10] [--pythonic] [--peer NAME=COMMAND]... [--print]
 *
 * --pythonic installs crossplane-function-pythonic from PyPI and measures it too. COMMAND is any other peer: it serves
 * without TLS, and says `{"msg": "listening", "address": "HOST:PORT"}` on stderr or listens on the port that stands for
 * `{port}` in it. --print writes no files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleServer } from './bundle.ts';
import { load, type Measured, percentile } from './load.ts';
import { adaptToPythonic, installPythonic } from './peers/pythonic.ts';
import { drawPlot } from './plot.ts';
import { makeRequest, SIZES } from './requests.ts';
import { type Server, startServer } from './server.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/performance.md');
const PLOT = join(ROOT, 'docs/performance.svg');
const [BEGIN, END] = ['<!-- measured: begin -->', '<!-- measured: end -->'];
const CONNECTIONS = [1, 8];

export interface Row {
  readonly server: string;
  readonly size: number;
  readonly connections: number;
  readonly callsPerSecond: number;
  readonly cpuMs: number;
  readonly p50: number;
  readonly p99: number;
  readonly residentMiB: number;
}

interface Result {
  readonly rows: readonly Row[];
  readonly coldStartMs: readonly number[];
  readonly bundleKibibytes: number;
}

interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  /** What the request must look like for it, where that differs. */
  readonly adapt?: (request: Buffer, address: string) => Promise<Buffer>;
}

const FUNCTION = 'this function';
const FLOOR = "floor: SDK's codec";
/** All are measured in turn, again and again: what disturbs one round of one disturbs one of each. */
const ROUNDS = 5;
const STARTS = 5;
const node = (...args: string[]): string[] => [process.execPath, ...args];

function listCandidates(ours: readonly string[], options: { pythonic: boolean; peer: string[] }): Candidate[] {
  return [
    { name: 'floor: bytes in, bytes out', command: node('--import', 'tsx', 'bench/floor.ts', 'bare') },
    { name: FLOOR, command: node('--import', 'tsx', 'bench/floor.ts', 'codec') },
    { name: FUNCTION, command: ours },
    ...(options.pythonic ? [{ name: 'function-pythonic', command: installPythonic(), adapt: adaptToPythonic }] : []),
    ...options.peer.map(peer => {
      const [, name = '', command = ''] = /^([^=]+)=(.+)$/.exec(peer) ?? [];
      if (name === '') throw new Error(`--peer: expected NAME=COMMAND, got "${peer}"`);
      return { name, command: command.split(' ') };
    }),
  ];
}

interface Runner {
  readonly name: string;
  readonly server: Server;
  readonly requests: ReadonlyMap<number, Buffer>;
}

async function start({ name, command, adapt }: Candidate, sizes: readonly number[]): Promise<Runner> {
  const server = await startServer(command);
  const requests = new Map<number, Buffer>();
  for (const size of sizes) {
    const request = makeRequest(size);
    requests.set(size, adapt === undefined ? request : await adapt(request, server.address));
  }
  return { name, server, requests };
}

async function measureAll(candidates: readonly Candidate[], sizes: readonly number[], seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  const runners: Runner[] = [];
  for (const candidate of candidates) runners.push(await start(candidate, sizes));
  for (const size of sizes) {
    for (const runner of runners) await warm(runner, size, seconds);
    for (const connections of CONNECTIONS) {
      rows.push(...(await measureInTurn(runners, { size, connections, milliseconds: (seconds * 1000) / ROUNDS })));
      for (const row of rows.slice(-runners.length)) console.log(printRow(row, rows));
    }
  }
  for (const { server } of runners) await server.stop();
  return rows;
}

/** V8 compiles what is hot, of the larger program later; the floor makes its answer. All get the same calls. */
async function warm(runner: Runner, size: number, seconds: number): Promise<void> {
  const calls = Math.max(100, Math.min(4_000, 20_000 / size));
  await load({ ...aimAt(runner, size), connections: 8, calls, milliseconds: seconds * 500 });
}

interface Aim {
  readonly size: number;
  readonly connections: number;
  readonly milliseconds: number;
}

async function measureInTurn(runners: readonly Runner[], aim: Aim): Promise<Row[]> {
  const rounds = runners.map((): Round[] => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [position, runner] of runners.entries()) rounds[position]?.push(await measure(runner, aim));
  return runners.map(({ name, server }, position) =>
    summarise(rounds[position] ?? [], {
      server: name,
      size: aim.size,
      connections: aim.connections,
      residentMiB: server.residentMiB(),
    }),
  );
}

function aimAt({ server, requests }: Runner, size: number): { address: string; request: Buffer } {
  return { address: server.address, request: requests.get(size) ?? Buffer.alloc(0) };
}

interface Round extends Measured {
  readonly cpuMs: number;
}

async function measure(runner: Runner, { size, connections, milliseconds }: Aim): Promise<Round> {
  const before = runner.server.cpuMs();
  const measured = await load({ ...aimAt(runner, size), connections, calls: connections, milliseconds });
  return { ...measured, cpuMs: runner.server.cpuMs() - before };
}

function summarise(rounds: readonly Round[], about: Pick<Row, 'server' | 'size' | 'connections' | 'residentMiB'>): Row {
  const sum = (read: (round: Round) => number): number => rounds.reduce((total, round) => total + read(round), 0);
  const calls = sum(round => round.calls);
  const latencies = Float64Array.from(rounds.flatMap(round => [...round.latencies])).sort();
  return {
    ...about,
    callsPerSecond: calls / (sum(round => round.milliseconds) / 1000),
    cpuMs: sum(round => round.cpuMs) / calls,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** From the start of the process to its line that it listens, several times. */
async function measureStarts(command: readonly string[]): Promise<number[]> {
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const server = await startServer(command);
    starts.push(server.coldStartMs);
    await server.stop();
  }
  return starts.sort((a, b) => a - b);
}

const round = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toPrecision(2));

function printRow(row: Row, rows: readonly Row[]): string {
  const cells = [
    row.server,
    row.size,
    row.connections,
    round(row.cpuMs),
    printRatio(row, rows),
    round(row.p50),
    round(row.p99),
  ];
  return `| ${[...cells, Math.round(row.callsPerSecond), Math.round(row.residentMiB)].join(' | ')} |`;
}

function printRatio(row: Row, rows: readonly Row[]): string {
  const floor = rows.find(
    ({ server, size, connections }) => server === FLOOR && size === row.size && connections === row.connections,
  );
  return floor === undefined ? '' : `${(row.cpuMs / floor.cpuMs).toFixed(2)} ×`;
}

/** CPU per call, to the codec floor: the figure that says most, at a glance. */
function printRatios(rows: readonly Row[]): string[] {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const servers = [...new Set(rows.map(({ server }) => server))];
  const ratio = (server: string, size: number): string =>
    CONNECTIONS.map(connections => {
      const row = rows.find(one => one.server === server && one.size === size && one.connections === connections);
      return row === undefined ? '' : printRatio(row, rows);
    }).join(', ');
  return [
    `| CPU per call to the codec floor, at ${CONNECTIONS.join(' and ')} connections | ${sizes.join(' | ')} |`,
    `| --- | ${sizes.map(() => '---:').join(' | ')} |`,
    ...servers.map(server => `| ${server} | ${sizes.map(size => ratio(server, size)).join(' | ')} |`),
  ];
}

function printResult({ rows, coldStartMs, bundleKibibytes }: Result, about: { seconds: number; load: string }): string {
  const [processor] = cpus();
  return [
    `Machine: ${cpus().length} × ${processor?.model.trim() ?? 'unknown'}, Linux ${release()}, Node ${process.versions.node}.`,
    `Load average ${about.load}; ${about.seconds} s for each row in ${ROUNDS} rounds, the load program on the same machine.`,
    '',
    ...printRatios(rows),
    '',
    '| server | Schedules and routes, each | connections | CPU ms per call | to the codec floor | p50 ms | p99 ms | calls/s | RSS MiB |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(row => printRow(row, rows)),
    '',
    `From start to listening, ${STARTS} times: ${coldStartMs.map(ms => Math.round(ms)).join(', ')} ms. ` +
      `The bundle that the image adds to its base has ${Math.round(bundleKibibytes)} KiB.`,
    '',
    'The plot: [p50 at one connection against size](performance.svg).',
  ].join('\n');
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: SIZES.join(',') },
    pythonic: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true, default: [] },
    print: { type: 'boolean', default: false },
  },
});
const [seconds, sizes] = [Number(values.seconds), values.sizes.split(',').map(Number)];
const [loadBefore = NaN] = loadavg();
const { command, kibibytes } = bundleServer();
const coldStartMs = await measureStarts(command);
const rows = await measureAll(listCandidates(command, values), sizes, seconds);
const [loadAfter = NaN] = loadavg();
const text = printResult(
  { rows, coldStartMs, bundleKibibytes: kibibytes },
  { seconds, load: `${loadBefore.toFixed(1)} before the run, ${loadAfter.toFixed(1)} at its end` },
);
if (values.print) {
  console.log(text);
} else {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${rest.split(END)[1] ?? ''}`);
  writeFileSync(PLOT, drawPlot(rows.filter(({ connections }) => connections === 1)));
}
