/**
 * Puts the server beside what nothing can be quicker than, on the same requests and in the same run, and writes the table
 * and the plot of docs/performance.md.
 *
 *   tsx bench/run.ts [--seconds N] [--sizes 1,10] [--peer NAME=COMMAND]... [--print]
 *
 * COMMAND is a peer that serves without TLS and says `{"msg": "listening", "address": "HOST:PORT"}` on stderr.
 * --print writes no files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, percentile } from './load.ts';
import { drawPlot } from './plot.ts';
import { makeRequest, SIZES } from './requests.ts';
import { startServer } from './server.ts';

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
  readonly coldStartMs: ReadonlyMap<string, number>;
}

const FUNCTION = 'this function';
const FLOOR = "floor: SDK's codec";
const node = (...args: string[]): string[] => [process.execPath, ...args];

function listServers(peers: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ['floor: bytes in, bytes out', node('--import', 'tsx', 'bench/floor.ts', 'bare')],
    [FLOOR, node('--import', 'tsx', 'bench/floor.ts', 'codec')],
    [FUNCTION, node('dist/main.js', '--insecure', '--address', '127.0.0.1:0')],
    ...peers.map((peer): [string, string[]] => {
      const [, name = '', command = ''] = /^([^=]+)=(.+)$/.exec(peer) ?? [];
      if (name === '') throw new Error(`--peer: expected NAME=COMMAND, got "${peer}"`);
      return [name, command.split(' ')];
    }),
  ]);
}

async function measureAll(
  servers: ReadonlyMap<string, readonly string[]>,
  sizes: readonly number[],
  seconds: number,
): Promise<Result> {
  const coldStartMs = new Map<string, number>();
  const rows: Row[] = [];
  for (const [name, command] of servers) {
    const server = await startServer(command);
    coldStartMs.set(name, server.coldStartMs);
    for (const size of sizes) {
      const request = makeRequest(size);
      const aim = { address: server.address, request };
      // Warm: V8 compiles what is hot, and the floor makes its answer.
      await load({ ...aim, connections: 8, calls: 200, milliseconds: seconds * 500 });
      for (const connections of CONNECTIONS) {
        const before = server.cpuMs();
        const measured = await load({ ...aim, connections, calls: 50, milliseconds: seconds * 1000 });
        const row = {
          server: name,
          size,
          connections,
          callsPerSecond: measured.calls / (measured.milliseconds / 1000),
          cpuMs: (server.cpuMs() - before) / measured.calls,
          p50: percentile(measured, 0.5),
          p99: percentile(measured, 0.99),
          residentMiB: server.residentMiB(),
        };
        rows.push(row);
        console.log(printRow(row, rows));
      }
    }
    await server.stop();
  }
  return { rows, coldStartMs };
}

const round = (value: number): string => value.toPrecision(value >= 100 ? 3 : 2);

function printRow(row: Row, rows: readonly Row[]): string {
  const floor = rows.find(
    ({ server, size, connections }) => server === FLOOR && size === row.size && connections === row.connections,
  );
  const ratio = floor === undefined ? '' : `${(row.cpuMs / floor.cpuMs).toFixed(2)} ×`;
  const cells = [row.server, row.size, row.connections, round(row.cpuMs), ratio, round(row.p50), round(row.p99)];
  return `| ${[...cells, Math.round(row.callsPerSecond), Math.round(row.residentMiB)].join(' | ')} |`;
}

function printResult({ rows, coldStartMs }: Result, seconds: number, loadBefore: number): string {
  const [processor] = cpus();
  const starts = [...coldStartMs].map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ');
  return [
    `Machine: ${cpus().length} × ${processor?.model.trim() ?? 'unknown'}, Linux ${release()}, Node ${process.versions.node}.`,
    `Load average before the run ${loadBefore.toFixed(1)}; ${seconds} s for each row, the load program on the same machine.`,
    '',
    '| server | Schedules and routes, each | connections | CPU ms per call | to the codec floor | p50 ms | p99 ms | calls/s | RSS MiB |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(row => printRow(row, rows)),
    '',
    `From start to listening: ${starts}. The floors run from source; their start is tsx's.`,
    '',
    '![p50 at one connection against size](performance.svg)',
  ].join('\n');
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: SIZES.join(',') },
    peer: { type: 'string', multiple: true, default: [] },
    print: { type: 'boolean', default: false },
  },
});
const [seconds, sizes] = [Number(values.seconds), values.sizes.split(',').map(Number)];
const [loadBefore = NaN] = loadavg();
const result = await measureAll(listServers(values.peer), sizes, seconds);
const text = printResult(result, seconds, loadBefore);
if (values.print) {
  console.log(text);
} else {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${rest.split(END)[1] ?? ''}`);
  writeFileSync(PLOT, drawPlot(result.rows.filter(({ connections }) => connections === 1)));
}
