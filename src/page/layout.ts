import { COLUMNS, type Graph, type GraphNode } from './graph.ts';

export const BOX = { width: 236, height: 58 } as const;
const GAP = { x: 84, y: 18 } as const;
const TOP = 34;

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By node id: the upper left corner of its box. */
  readonly places: ReadonlyMap<string, Place>;
  /** Columns that have nodes, with their left edge. */
  readonly columns: readonly { readonly title: string; readonly x: number }[];
}

/** Plain columns from left to right. In each, a node stands about as high as what leads to it, so that few lines cross. */
export function layOut({ nodes, edges }: Graph): Layout {
  const used = COLUMNS.map((title, column) => ({ title, nodes: nodes.filter(node => node.column === column) })).filter(
    column => column.nodes.length > 0,
  );
  const tallest = Math.max(0, ...used.map(column => column.nodes.length));
  const places = new Map<string, Place>();
  const columns = used.map((column, index) => {
    const x = index * (BOX.width + GAP.x);
    const above = ((tallest - column.nodes.length) * (BOX.height + GAP.y)) / 2;
    order(column.nodes, edges, places).forEach((node, row) => {
      places.set(node.id, { x, y: TOP + above + row * (BOX.height + GAP.y) });
    });
    return { title: column.title, x };
  });
  return {
    width: Math.max(0, used.length * (BOX.width + GAP.x) - GAP.x),
    height: TOP + Math.max(0, tallest * (BOX.height + GAP.y) - GAP.y),
    places,
    columns,
  };
}

function order(
  nodes: readonly GraphNode[],
  edges: Graph['edges'],
  places: ReadonlyMap<string, Place>,
): readonly GraphNode[] {
  const ranked = nodes.map((node, index) => {
    const heights = edges.flatMap(({ from, to }) => (to === node.id ? (places.get(from)?.y ?? []) : []));
    const mean = heights.reduce((sum, height) => sum + height, 0) / heights.length;
    return { node, index, rank: heights.length === 0 ? Number.POSITIVE_INFINITY : mean };
  });
  return ranked.sort((a, b) => (a.rank === b.rank ? a.index - b.index : a.rank - b.rank)).map(({ node }) => node);
}
