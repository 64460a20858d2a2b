import type { Parameters as RunParameters } from 'fast-check';

/**
 * How often a property is tried. `PROPERTY_RUNS` multiplies it, `PROPERTY_SEED` and `PROPERTY_PATH` replay what a
 * failure printed.
 */
export function runOptions(runs: number): RunParameters<unknown> {
  const { PROPERTY_RUNS: factor, PROPERTY_SEED: seed, PROPERTY_PATH: path } = process.env;
  return {
    numRuns: runs * Number(factor ?? 1),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
}
