/**
 * Calls one server many times and says whether its memory stays flat.
 *
 *   tsx bench/soak.ts [CALLS]      a million calls where not said
 */
import { bundleServer } from './bundle.ts';
import { load } from './load.ts';
import { makeRequest } from './requests.ts';
import { startServer } from './server.ts';

/** What one part may differ from another without being a leak: V8 grows and shrinks its heap as it likes. */
export const TOLERATED_GROWTH_MIB = 25;
const PARTS = 20;

export interface Soaked {
  /** Resident memory after each part. */
  readonly residentMiB: readonly number[];
  /** The last half's mean less the one before, the first fifth left out, in which code and heap warm up. */
  readonly growthMiB: number;
}

export async function soak(command: readonly string[], calls: number, say: (line: string) => void): Promise<Soaked> {
  const server = await startServer(command);
  const request = makeRequest(1);
  const residentMiB: number[] = [];
  const each = calls / PARTS;
  for (let part = 1; part <= PARTS; part += 1) {
    await load({ address: server.address, request, connections: 8, calls: each, milliseconds: 0 });
    residentMiB.push(server.residentMiB());
    say(
      `${each * part} calls: ${server.residentMiB().toFixed(0)} MiB, ${(server.cpuMs() / (each * part)).toFixed(2)} ms of CPU each`,
    );
  }
  await server.stop();
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [warm, middle] = [PARTS / 5, (3 * PARTS) / 5];
  return { residentMiB, growthMiB: mean(residentMiB.slice(middle)) - mean(residentMiB.slice(warm, middle)) };
}

if (import.meta.filename === process.argv[1]) {
  const calls = Number(process.argv[2] ?? 1_000_000);
  const { growthMiB } = await soak(bundleServer().command, calls, line => {
    console.log(line);
  });
  console.log(`growth ${growthMiB.toFixed(1)} MiB, tolerated ${TOLERATED_GROWTH_MIB}`);
  process.exitCode = growthMiB > TOLERATED_GROWTH_MIB ? 1 : 0;
}
