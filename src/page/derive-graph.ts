import type { Considered } from '../decide.ts';
import type { Settled } from '../decision.ts';
import { joinParts, type Graph } from './graph.ts';
import { describeComposed } from './composed.ts';
import { describeDeclared } from './declared.ts';
import { describeWanted } from './wanted.ts';

/** The one graph of a decision, whatever shows it. */
export function deriveGraph(considered: Considered, decision: Settled): Graph {
  return joinParts([
    describeDeclared(considered, decision),
    describeWanted(considered, decision),
    describeComposed(considered, decision),
  ]);
}
