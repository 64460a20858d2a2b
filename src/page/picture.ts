import type { Graph, GraphNode } from './graph.ts';
import { BOX, layOut, type Place } from './layout.ts';
import { element, spellOut, type MarkupElement } from './markup.ts';

const INSET = 12;
/** Of a name in a box; its details have all of it. */
const SHOWN = 27;

/** Id of a node's box in the picture; the node's own id is that of its details. */
export function boxId(id: string): string {
  return `box-${id}`;
}

/** The graph as SVG. Every box is a link to the details of its node. */
export function drawGraph(graph: Graph): MarkupElement {
  const { width, height, places, columns } = layOut(graph);
  return element(
    'svg',
    {
      id: 'graph',
      viewBox: `-4 -4 ${width + 8} ${height + 8}`,
      width: `${width + 8}`,
      height: `${height + 8}`,
      role: 'group',
      'aria-label': 'Graph: what was declared, on the left, and what it leads to',
    },
    ...columns.map(({ title, x }) => element('text', { class: 'column', x: `${x}`, y: '14' }, title)),
    element('g', { 'aria-hidden': 'true' }, ...graph.edges.map(edge => drawEdge(edge, places))),
    ...graph.nodes.map(node => drawNode(node, places.get(node.id) ?? { x: 0, y: 0 })),
  );
}

function drawEdge({ from, to }: Graph['edges'][number], places: ReadonlyMap<string, Place>): MarkupElement {
  const [a, b] = [places.get(from), places.get(to)];
  if (a === undefined || b === undefined) return element('g', {});
  const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
  const bend = (x2 - x1) / 2;
  return element('path', {
    class: `edge ${from} ${to}`,
    d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
  });
}

function drawNode(node: GraphNode, { x, y }: Place): MarkupElement {
  const { id, kind, name, state } = node;
  return element(
    'a',
    {
      id: boxId(id),
      class: `node tone-${state?.tone ?? 'plain'}`,
      href: `#${id}`,
      'aria-label': nameNode(node),
    },
    element('title', {}, nameNode(node)),
    // An inner svg cuts off what is wider than its box.
    element(
      'svg',
      { x: `${x}`, y: `${y}`, width: `${BOX.width}`, height: `${BOX.height}` },
      element('rect', { x: '1', y: '1', width: `${BOX.width - 2}`, height: `${BOX.height - 2}`, rx: '6' }),
      element(
        'text',
        { class: 'kind', x: `${INSET}`, y: '22' },
        state === undefined ? kind : `${kind} · ${state.word}`,
      ),
      element('text', { class: 'name', x: `${INSET}`, y: '43' }, shorten(name)),
    ),
  );
}

export function nameNode({ kind, name, state }: GraphNode): string {
  return `${kind} ${name}${state === undefined ? '' : `, ${state.word}`}`;
}

/** Names differ at their end as often as at their beginning. */
function shorten(name: string): string {
  const points = Array.from(spellOut(name));
  if (points.length <= SHOWN) return points.join('');
  return `${points.slice(0, SHOWN - 11).join('')}…${points.slice(-10).join('')}`;
}
