import type { Settled } from '../decision.ts';
import { describeNode, showText } from './details.ts';
import type { Graph } from './graph.ts';
import { element, type MarkupElement } from './markup.ts';
import { drawGraph } from './picture.ts';

/** All that is told of a decision: warnings, the graph, details on demand, conditions, the two HCL texts. */
export function composeReport(graph: Graph, { warnings, conditions }: Settled): readonly MarkupElement[] {
  return [
    ...(warnings.length === 0
      ? []
      : [
          element(
            'section',
            { class: 'warnings', 'aria-label': 'Warnings' },
            element('h2', {}, 'Warnings'),
            element('ul', {}, ...warnings.map(warning => element('li', {}, element('bdi', {}, warning)))),
          ),
        ]),
    element('h2', {}, 'Graph'),
    element(
      'p',
      { class: 'hint' },
      'Choose a box, by pointer or by Tab and Enter, to see why it is there and what stands behind it.',
    ),
    element('div', { class: 'picture' }, drawGraph(graph)),
    ...graph.nodes.map(node => describeNode(node, graph)),
    element('h2', {}, 'Conditions'),
    tabulateConditions(conditions),
    element('h2', {}, 'OpenTofu'),
    ...['Workspace', 'ProviderConfig'].flatMap(kind => showHcl(graph, kind)),
  ];
}

export function tabulateConditions(conditions: Settled['conditions']): MarkupElement {
  const row = (tag: 'th' | 'td', ...cells: readonly string[]): MarkupElement =>
    element(
      'tr',
      {},
      ...cells.map(cell => element(tag, tag === 'th' ? { scope: 'col' } : {}, element('bdi', {}, cell))),
    );
  return element(
    'table',
    {},
    element('thead', {}, row('th', 'Condition', 'Status', 'Reason', 'Message')),
    element(
      'tbody',
      {},
      ...conditions.map(({ type, status, reason, message }) => row('td', type, status, reason, message)),
    ),
  );
}

function showHcl({ nodes }: Graph, kind: string): readonly MarkupElement[] {
  const node = nodes.find(candidate => candidate.kind === kind);
  const [hcl] = node?.texts ?? [];
  if (node === undefined || hcl === undefined) return [];
  return [element('details', {}, element('summary', {}, hcl.title), ...showText(hcl, `${kind} ${node.name}`).slice(1))];
}
