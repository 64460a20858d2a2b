import { judge } from './checks.ts';
import { findHolds } from './holds.ts';
import { deriveOrder } from './order.ts';
import { isAgainst, type TeardownPlan, type TeardownSources } from './plan.ts';
import { readSituation } from './situation.ts';
import { deriveWays } from './ways.ts';

/** Reads what there is, judges it, and tells the ways. */
export function planTeardown(sources: TeardownSources): TeardownPlan {
  const situation = readSituation(sources);
  const holds = findHolds(situation);
  const checks = judge(situation, holds);
  const ways = deriveWays(situation, checks);
  return {
    namespace: sources.namespace,
    stage: situation.stage,
    checks,
    // A list that may lack some looks like all there are.
    buckets: situation.stage === 'unknown' ? [] : situation.buckets,
    holds,
    order: deriveOrder(situation, holds),
    ways,
    refused: checks.some(isAgainst),
  };
}
