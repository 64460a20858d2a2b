import type { Graph, GraphEdge, GraphNode, NodeText } from './graph.ts';
import { element, type MarkupElement } from './markup.ts';
import { boxId, nameNode } from './picture.ts';

/** Why a node is there, its neighbours, its texts. Shown while it is what the address names. */
export function describeNode(node: GraphNode, graph: Graph): MarkupElement {
  const { id, kind, name, state, reasons, texts } = node;
  return element(
    'section',
    { id, class: 'details', tabindex: '-1', 'aria-labelledby': `${id}-title` },
    element(
      'h3',
      { id: `${id}-title` },
      `${kind} `,
      element('bdi', {}, name),
      ...(state === undefined ? [] : [' ', element('span', { class: `state tone-${state.tone}` }, state.word)]),
    ),
    element('ul', { class: 'reasons' }, ...reasons.map(reason => element('li', {}, element('bdi', {}, reason)))),
    ...listNeighbours('Comes from', graph, { id, near: 'to', far: 'from' }),
    ...listNeighbours('Leads to', graph, { id, near: 'from', far: 'to' }),
    ...texts.flatMap(text => showText(text, nameNode(node))),
    element('p', {}, element('a', { href: `#${boxId(id)}` }, 'Back to the graph')),
  );
}

function listNeighbours(
  title: string,
  { nodes, edges }: Graph,
  { id, near, far }: { readonly id: string; readonly near: 'from' | 'to'; readonly far: 'from' | 'to' },
): readonly MarkupElement[] {
  const items = edges.filter(edge => edge[near] === id).map(edge => linkNeighbour(edge, nodes, far));
  return items.length === 0 ? [] : [element('h4', {}, title), element('ul', {}, ...items)];
}

function linkNeighbour(edge: GraphEdge, nodes: readonly GraphNode[], far: 'from' | 'to'): MarkupElement {
  const other = nodes.find(({ id }) => id === edge[far]);
  const name = element('bdi', {}, other === undefined ? '' : nameNode(other));
  return element('li', {}, element('a', { href: `#${edge[far]}` }, name), ' (', element('bdi', {}, edge.label), ')');
}

/** A long text scrolls in its own box, which the keyboard must reach. */
export function showText({ title, text }: NodeText, of: string): readonly MarkupElement[] {
  return [
    element('h4', {}, title),
    element('pre', { tabindex: '0', role: 'region', 'aria-label': `${title} of ${of}` }, element('code', {}, text)),
  ];
}
