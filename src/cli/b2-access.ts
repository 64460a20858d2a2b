import { B2_ENDPOINT, type B2Access } from '../b2/client.ts';
import { UsageError } from './usage-error.ts';

export const B2_FLAGS = { endpoint: { type: 'string' }, timeout: { type: 'string' } } as const;

export const B2_USAGE = `  --endpoint URL          B2's native API, ${B2_ENDPOINT} where left out
  --timeout SECONDS       how long to wait for each of its answers, 15 where left out
`;

/**
 * The key comes from the environment alone: what stands on a command line is in the process list and the history.
 * @throws UsageError
 */
export function readB2Access(flags: {
  readonly endpoint?: string | undefined;
  readonly timeout?: string | undefined;
}): B2Access {
  const read = (name: string): string => {
    const value = process.env[name];
    if (value === undefined || value === '')
      throw new UsageError(`${name} is not set: the B2 key comes from the environment`);
    return value;
  };
  const seconds = Number(flags.timeout ?? '15');
  if (!(seconds > 0 && seconds <= 600))
    throw new UsageError('--timeout: expected seconds, more than 0 and at most 600');
  return {
    endpoint: flags.endpoint ?? B2_ENDPOINT,
    keyId: read('B2_APPLICATION_KEY_ID'),
    key: read('B2_APPLICATION_KEY'),
    timeoutSeconds: seconds,
  };
}
