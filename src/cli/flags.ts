import { UsageError } from './usage-error.ts';

/**
 * What node's parseArgs makes of a command's flags, and at most so many arguments without a flag.
 * @throws UsageError naming what is unknown, missing or too much
 */
export function parseFlags<T extends { readonly positionals: readonly string[] }>(
  positionals: number,
  parse: () => T,
): T {
  const parsed = orUsageError(parse);
  const extra = parsed.positionals[positionals];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`);
  return parsed;
}

function orUsageError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
