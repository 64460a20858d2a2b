/** The files that stand under examples/<case>/expected/, made without any other tool. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { answerObservation, findCaseFiles, readObservation } from '../../src/cli/case.ts';
import { renderDecision } from '../../src/cli/render.ts';
import { decide } from '../../src/decide.ts';
import type { Decision } from '../../src/decision.ts';

export const EXAMPLES = join(import.meta.dirname, '../../examples');

/** A case whose name says so stops before Crossplane has answered; every other one goes on. */
const WAITING = 'waiting';

export function listExamples(): readonly string[] {
  return readdirSync(EXAMPLES, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort();
}

export function decideExample(name: string): Decision {
  const files = findCaseFiles(join(EXAMPLES, name), {});
  const first = readObservation(files);
  return decide(name === WAITING ? first : answerObservation(files, first));
}

/** File name → content. `rendered.yaml`, what the real Crossplane prints, is not among them. */
export function printExpected(decision: Decision): ReadonlyMap<string, string> {
  switch (decision.kind) {
    case 'refused':
      return new Map([['fatal.txt', `${decision.fatal}\n`]]);
    case 'waiting':
      return new Map([['answer.yaml', printAnswer(decision)]]);
    case 'settled':
      return new Map([
        ['main.tf', renderDecision(decision, 'module')],
        ['provider.tf', renderDecision(decision, 'provider-config')],
      ]);
  }
}

function printAnswer(decision: Extract<Decision, { kind: 'waiting' }>): string {
  const requirements = [...decision.requirements].map(([key, requirement]) => ({
    key,
    ...requirement,
    ...(requirement.kind === 'labels' ? { labels: Object.fromEntries(requirement.labels) } : {}),
  }));
  return `${stringify({ requirements, conditions: decision.conditions }, { lineWidth: 0 })}${renderDecision(decision, 'all')}`;
}
