import { element, type MarkupElement } from '../../src/page/markup.ts';
import { composeReport, tabulateConditions } from '../../src/page/report.ts';
import type { Outcome } from './decide-texts.ts';

/** One line that a screen reader hears after every change. */
export function sayOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'settled': {
      const { resources, warnings } = outcome.decision;
      return `Settled: ${count(resources.size, 'object')}, ${count(warnings.length, 'warning')}.`;
    }
    case 'refused':
      return 'Refused: nothing is composed anew, and what was last applied stays.';
    case 'unreadable':
      return `Cannot read ${outcome.file ?? 'this'}.`;
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function showOutcome(outcome: Outcome): readonly MarkupElement[] {
  switch (outcome.kind) {
    case 'settled':
      return composeReport(outcome.graph, outcome.decision);
    case 'refused':
      return [
        element('section', { class: 'warnings refused', 'aria-label': 'Refusal' }, pre(outcome.decision.fatal)),
        element('h2', {}, 'Conditions'),
        tabulateConditions(outcome.decision.conditions),
      ];
    case 'unreadable':
      return [element('section', { class: 'warnings unreadable', 'aria-label': 'Fault' }, pre(outcome.message))];
  }
}

function pre(text: string): MarkupElement {
  return element('pre', { class: 'fault' }, text);
}
