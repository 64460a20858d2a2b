/**
 * Job:         own the gRPC server's life: settings, certificates, listening, signals, end.
 * In:          command line, environment, and the function to serve.
 * Out:         an exit code; log lines as JSON on stderr.
 * May import:  function (types), errors; the SDK's service, grpc-js, pino, prom-client, node:*.
 * Must never:  serve plaintext unasked, look into a request, or log one.
 */
import type { Logger } from 'pino';
import type { Log, Observe, RunFunction } from '../function.ts';
import { printAddress } from './address.ts';
import { type CertificateStore, openCertificateStore } from './certificate-store.ts';
import { listen, type Listener } from './listener.ts';
import { createLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type Operations, serveOperations } from './operations.ts';
import { type Environment, HELP, parseSettings, type ServeSettings } from './settings.ts';
import { isStartError } from './start-error.ts';
import { hearSignals, type Signals } from './signals.ts';

export interface Program {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly createFunction: (log: Log, observe: Observe) => RunFunction;
}

/** @returns the exit code: 0 done, 1 cannot serve or cut short, 2 wrong usage */
export async function run(program: Program): Promise<number> {
  // Before all else: as the first process of a container we get no signal that we do not listen for.
  const signals = hearSignals();
  try {
    const settings = parseSettings(program.argv, program.env);
    switch (settings.kind) {
      case 'help':
        process.stdout.write(HELP);
        return 0;
      case 'version':
        process.stdout.write(`${program.version}\n`);
        return 0;
      case 'serve':
        return await serve(settings, program, signals);
    }
  } catch (error) {
    if (!isStartError(error)) throw error;
    process.stderr.write(`function-tofu-workspace: ${error.message}\n`);
    return error.blame === 'usage' ? 2 : 1;
  }
}

async function serve(settings: ServeSettings, program: Program, signals: Signals): Promise<number> {
  const log = createLog(settings.debug);
  const { transport } = settings;
  const store = transport.kind === 'tls' ? openCertificateStore(transport.directory, log) : undefined;
  const metrics = await loadMetrics(settings, store);
  const runFunction = program.createFunction(log, (outcome, ms) => metrics?.observeCall(outcome, ms));
  let stopping = false;
  const findFault = (): string | undefined => (stopping ? 'stopping' : store?.fault());

  const listener = await listen(
    {
      address: settings.address,
      tls: store === undefined || transport.kind !== 'tls' ? undefined : { store, ...transport },
      maxMessageBytes: settings.maxMessageBytes,
      keepaliveMs: settings.keepaliveSeconds * 1000,
      maxConnectionAgeMs: settings.maxConnectionAgeSeconds * 1000,
    },
    {
      runFunction,
      isReady: () => findFault() === undefined,
      onRefusal: () => metrics?.observeRefusal(),
      log,
    },
  );
  const operations = await openOperations(settings, metrics, findFault);
  if (store === undefined) log.warn({}, 'serving without TLS: anyone who reaches the port can call');
  log.info(describe(settings, program.version, { listener, operations }), 'listening');
  log.flush();

  const signal = await signals.first;
  stopping = true;
  log.info({ signal }, 'stopping');
  const code = await stop(listener, settings.stopDeadlineSeconds * 1000, { signals, log });
  operations?.close();
  return code;
}

/** Only where it is asked for: the package costs start-up time and memory. */
async function loadMetrics(settings: ServeSettings, store: CertificateStore | undefined): Promise<Metrics | undefined> {
  if (settings.metricsAddress === undefined) return undefined;
  const { createMetrics } = await import('./metrics.ts');
  return createMetrics(store === undefined ? undefined : () => new Date(store.current().leaf.validTo));
}

async function openOperations(
  { metricsAddress }: ServeSettings,
  metrics: Metrics | undefined,
  findFault: () => string | undefined,
): Promise<Operations | undefined> {
  if (metricsAddress === undefined || metrics === undefined) return undefined;
  return await serveOperations(metricsAddress, metrics, findFault);
}

function describe(
  { transport, maxMessageBytes }: ServeSettings,
  version: string,
  { listener, operations }: { listener: Listener; operations: Operations | undefined },
): object {
  return {
    address: printAddress(listener.address),
    metricsAddress: operations === undefined ? undefined : printAddress(operations.address),
    tls: transport.kind === 'tls',
    maxMessageBytes,
    version,
  };
}

/** The first signal ends in order, with a deadline; a second one is a human who does not want to wait. */
async function stop(
  listener: Listener,
  deadlineMs: number,
  { signals, log }: { signals: Signals; log: Logger },
): Promise<number> {
  const ended = await Promise.race([
    listener.stop().then(() => ({ code: 0, cut: undefined })),
    signals.second.then(signal => ({ code: 1, cut: `second signal ${signal}` })),
    wait(deadlineMs).then(() => ({ code: 0, cut: `calls still open after ${deadlineMs} ms` })),
  ]);
  if (ended.cut === undefined) {
    log.info({}, 'stopped');
  } else {
    log.warn({ reason: ended.cut }, 'cutting open calls');
    listener.force();
  }
  return ended.code;
}

function wait(milliseconds: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, milliseconds);
  });
}
