/**
 * Calls one server many times and says whether its memory stays flat.
 *
 *   tsx bench/soak.ts [CALLS]      a million calls where not said
 */
import { load } from './load.ts';
import { makeRequest } from './requests.ts';
import { startServer } from './server.ts';

/** What one round may differ from another without being a leak: V8 grows and shrinks its heap as it likes. */
export const TOLERATED_GROWTH_MIB = 25;

export interface Soaked {
  /** Resident memory after each tenth. */
  readonly residentMiB: readonly number[];
  /** The second half's mean less the first's, the first two tenths left out, in which code and heap warm up. */
  readonly growthMiB: number;
}

export async function soak(command: readonly string[], calls: number, say: (line: string) => void): Promise<Soaked> {
  const server = await startServer(command);
  const request = makeRequest(1);
  const residentMiB: number[] = [];
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await load({ address: server.address, request, connections: 8, calls: calls / 10, milliseconds: 0 });
    residentMiB.push(server.residentMiB());
    say(`${(calls / 10) * tenth} calls: ${Math.round(server.residentMiB())} MiB`);
  }
  await server.stop();
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  return { residentMiB, growthMiB: mean(residentMiB.slice(6)) - mean(residentMiB.slice(2, 6)) };
}

if (import.meta.filename === process.argv[1]) {
  const calls = Number(process.argv[2] ?? 1_000_000);
  const command = [process.execPath, 'dist/main.js', '--insecure', '--address', '127.0.0.1:0'];
  const { growthMiB } = await soak(command, calls, line => {
    console.log(line);
  });
  console.log(`growth ${growthMiB.toFixed(1)} MiB, tolerated ${TOLERATED_GROWTH_MIB}`);
  process.exitCode = growthMiB > TOLERATED_GROWTH_MIB ? 1 : 0;
}
