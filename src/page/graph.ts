/**
 * Room page: a decision as a picture: what led to what, and why.
 * In: what was considered, the decision. Out: one graph; from it Mermaid, or markup that a page or the playground shows.
 * May import: errors, kube, decision, decide, intent, cluster, compose, report, hcl/quote, yaml.
 * Must never: decide anything, show a Secret's value, or make text of a document beside print-markup.ts and mermaid.ts.
 */

/** From cause to effect, as the columns of the picture. */
export const COLUMNS = ['Declared', 'Wanted', 'Workspace', 'Read and written', 'Held'] as const;

/** What a node is in one word, and how it is to be taken. Said in words, never by colour alone. */
export interface NodeState {
  readonly word: string;
  readonly tone: 'good' | 'attention' | 'off';
}

/** A text that a node stands for. */
export interface NodeText {
  readonly title: string;
  readonly text: string;
}

export interface GraphNode {
  /** `n0`, `n1`, …: what users name never becomes an identifier. */
  readonly id: string;
  /** Kind and name: the same node in the graph of a changed case. */
  readonly key: string;
  /** Index in {@link COLUMNS}. */
  readonly column: number;
  readonly kind: string;
  readonly name: string;
  readonly state: NodeState | undefined;
  /** Why it is there, or why it is left alone; sentences. */
  readonly reasons: readonly string[];
  readonly texts: readonly NodeText[];
}

export interface GraphEdge {
  /** Ids of nodes. */
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Graph {
  /** By column, in each in the order of the decision. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A node before it has a place among the others. */
export type NodeDraft = Omit<GraphNode, 'id' | 'state' | 'texts'> & Partial<Pick<GraphNode, 'state' | 'texts'>>;

/** An edge between the keys of two nodes. */
export type EdgeDraft = GraphEdge;

export interface GraphPart {
  readonly nodes: readonly NodeDraft[];
  readonly edges: readonly EdgeDraft[];
}

/** Numbers the nodes. Of two with one key the first stays; an edge to a node that is not there goes, as does its double. */
export function joinParts(parts: readonly GraphPart[]): Graph {
  const drafts = new Map<string, NodeDraft>();
  for (const draft of parts.flatMap(({ nodes }) => nodes)) if (!drafts.has(draft.key)) drafts.set(draft.key, draft);
  const nodes = [...drafts.values()]
    .sort((a, b) => a.column - b.column)
    .map((draft, index): GraphNode => ({ state: undefined, texts: [], ...draft, id: `n${index}` }));
  const ids = new Map(nodes.map(({ key, id }) => [key, id]));
  const edges = new Map<string, GraphEdge>();
  for (const { from, to, label } of parts.flatMap(part => part.edges)) {
    const [source, target] = [ids.get(from), ids.get(to)];
    if (source === undefined || target === undefined) continue;
    edges.set(JSON.stringify([source, target, label]), { from: source, to: target, label });
  }
  return { nodes, edges: [...edges.values()] };
}
