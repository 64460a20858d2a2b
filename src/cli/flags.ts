import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Config<O extends Options> = ParseArgsConfig & { options: O; allowPositionals: true };
type Parsed<O extends Options> = ReturnType<typeof parseArgs<Config<O>>>;

/**
 * The flags of one command, and at most so many arguments without a flag.
 * @throws UsageError naming what is unknown, missing or too much
 */
export function parseFlags<O extends Options>(args: readonly string[], options: O, positionals: number): Parsed<O> {
  const parsed = parse(args, options);
  const extra = parsed.positionals[positionals];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`);
  return parsed;
}

function parse<O extends Options>(args: readonly string[], options: O): Parsed<O> {
  try {
    return parseArgs<Config<O>>({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
