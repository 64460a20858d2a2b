import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Considered } from '../decide.ts';
import type { Settled } from '../decision.ts';
import { deriveGraph } from '../page/derive-graph.ts';
import { printMermaid } from '../page/mermaid.ts';
import { printPage } from '../page/page.ts';
import { UsageError } from './usage-error.ts';

/** The explanation as a graph: Mermaid for stdout. */
export function explainAsMermaid(considered: Considered, decision: Settled): string {
  return printMermaid(deriveGraph(considered, decision));
}

/** The explanation as one page that needs no network, written to a file. */
export function writePage(path: string, considered: Considered, decision: Settled): void {
  const page = printPage(considered.intent, deriveGraph(considered, decision), decision, sha256);
  try {
    writeFileSync(path, page);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
