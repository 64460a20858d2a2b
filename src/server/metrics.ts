import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Outcome } from '../function.ts';

const PREFIX = 'function_tofu_workspace';
/** From a call that only waits to one with a thousand Schedules. */
const LATENCY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** All from the start, so that a rate over one that has not happened yet is zero and not nothing. */
const OUTCOMES: readonly Outcome[] = ['settled', 'waiting', 'refused', 'malformed', 'failed', 'too-large'];

export interface Metrics {
  readonly contentType: string;
  observeCall(outcome: Outcome, milliseconds: number): void;
  observeRefusal(): void;
  print(): Promise<string>;
}

/** @param certificateExpiry undefined where TLS is not served */
export function createMetrics(certificateExpiry: (() => Date) | undefined): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: `${PREFIX}_calls_total`,
    help: 'Calls answered, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of OUTCOMES) calls.inc({ outcome }, 0);
  const latency = new Histogram({
    name: `${PREFIX}_call_duration_seconds`,
    help: 'Time from the bytes of a request to those of its answer.',
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: `${PREFIX}_connections_refused_total`,
    help: 'Connections whose caller may not call.',
    registers,
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.set((user + system) / 1e6);
    },
  });
  if (certificateExpiry !== undefined)
    new Gauge({
      name: `${PREFIX}_certificate_expiry_timestamp_seconds`,
      help: 'When the server certificate in force runs out.',
      registers,
      collect() {
        this.set(certificateExpiry().getTime() / 1000);
      },
    });
  return {
    contentType: registry.contentType,
    observeCall: (outcome, milliseconds) => {
      calls.inc({ outcome });
      latency.observe(milliseconds / 1000);
    },
    observeRefusal: () => {
      refusals.inc();
    },
    print: () => registry.metrics(),
  };
}
