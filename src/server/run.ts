/**
 * Job:         own the gRPC server's life: settings, certificates, listening, signals, end.
 * In:          command line, environment, and the function to serve.
 * Out:         an exit code; log lines as JSON on stderr.
 * May import:  function (types), errors; the SDK's service, grpc-js, pino, node:*.
 * Must never:  serve plaintext unasked, look into a request, or log one.
 */
import { pino, destination, type Logger } from 'pino';
import type { Log, RunFunction } from '../function.ts';
import { printAddress } from './address.ts';
import { readCertificates } from './certificates.ts';
import { listen, type Listener } from './listener.ts';
import { type Environment, HELP, parseSettings, type ServeSettings } from './settings.ts';
import { isStartError } from './start-error.ts';

/** Below the 30 seconds that Kubernetes grants by default, so that the end is ours to log. */
const STOP_DEADLINE_MS = 20_000;

export interface Program {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly createFunction: (log: Log) => RunFunction;
}

/** @returns the exit code: 0 done, 1 cannot serve or cut short, 2 wrong usage */
export async function run(program: Program): Promise<number> {
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
        return await serve(settings, program);
    }
  } catch (error) {
    if (!isStartError(error)) throw error;
    process.stderr.write(`function-tofu-workspace: ${error.message}\n`);
    return error.blame === 'usage' ? 2 : 1;
  }
}

async function serve(settings: ServeSettings, program: Program): Promise<number> {
  const log = createLog(settings.debug);
  const { address, transport, maxMessageBytes } = settings;
  const certificates = transport.kind === 'tls' ? readCertificates(transport.directory) : undefined;
  const listener = await listen({ address, certificates, maxMessageBytes }, program.createFunction(log), log);
  const ended = untilStopped(listener, log);
  if (certificates === undefined) log.warn({}, 'serving without TLS: anyone who reaches the port can call');
  log.info(
    {
      address: printAddress(listener.address),
      tls: certificates !== undefined,
      maxMessageBytes,
      version: program.version,
    },
    'listening',
  );
  return await ended;
}

/** Synchronous, so that no line is lost when the process ends. */
function createLog(debug: boolean): Logger {
  return pino(
    { level: debug ? 'debug' : 'info', base: null, formatters: { level: label => ({ level: label }) } },
    destination({ fd: 2, sync: true }),
  );
}

/** The first signal ends in order, with a deadline; a second one is a human who does not want to wait. */
function untilStopped(listener: Listener, log: Logger): Promise<number> {
  return new Promise(resolve => {
    let stopping = false;
    const force = (reason: string, code: number): void => {
      log.warn({ reason }, 'cutting open calls');
      listener.force();
      resolve(code);
    };
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping) {
        force(`second signal ${signal}`, 1);
        return;
      }
      stopping = true;
      log.info({ signal }, 'stopping');
      setTimeout(force, STOP_DEADLINE_MS, `calls still open after ${STOP_DEADLINE_MS} ms`, 0).unref();
      void listener.stop().then(() => {
        log.info({}, 'stopped');
        resolve(0);
      });
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
