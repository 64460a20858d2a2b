import { destination, pino, type Logger } from 'pino';

/** How late a line may be: a system call for each would be a tenth of a call's time. */
const DELAY_MS = 20;
const BATCH_BYTES = 4096;
/** What is kept where nobody reads the log; further lines are dropped, since calls are worth more than what is said of them. */
const MAX_BYTES = 4 * 1024 * 1024;
const WARN = 40;

/**
 * JSON lines on stderr, written beside the calls: who reads slowly holds none of them up. Warnings and errors are
 * written at once, and everything when the process exits; a process that is killed loses its last lines.
 */
export function createLog(debug: boolean): Logger {
  const stream = destination({ fd: 2, sync: false, minLength: BATCH_BYTES, maxLength: MAX_BYTES });
  let waiting: NodeJS.Timeout | undefined;
  let asked = false;
  const flush = (): void => {
    waiting = undefined;
    asked = true;
    stream.flush();
  };
  // The stream passes over a flush while it writes: what came meanwhile would stay there until the next line.
  stream.on('drain', () => {
    if (!asked) return;
    asked = false;
    stream.flush();
  });
  return pino(
    {
      level: debug ? 'debug' : 'info',
      base: null,
      formatters: { level: label => ({ level: label }) },
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= WARN) flush();
          else waiting ??= setTimeout(flush, DELAY_MS).unref();
        },
      },
    },
    stream,
  );
}
