import { COLUMNS, type Graph, type GraphNode } from './graph.ts';
import { spellOut } from './markup.ts';

/** The graph in Mermaid's language, as GitHub and GitLab draw it. */
export function printMermaid({ nodes, edges }: Graph): string {
  const columns = COLUMNS.flatMap((title, column) => {
    const inside = nodes.filter(node => node.column === column);
    if (inside.length === 0) return [];
    return [`  subgraph c${column}["${escape(title)}"]`, ...inside.map(node => `    ${printNode(node)}`), '  end'];
  });
  const lines = [
    'flowchart LR',
    ...columns,
    ...edges.map(({ from, to, label }) => `  ${from} -->|"${escape(label)}"| ${to}`),
    '  classDef attention stroke-width:3px',
    '  classDef off stroke-dasharray:5 4',
    ...(['attention', 'off'] as const).flatMap(tone => {
      const ids = nodes.filter(({ state }) => state?.tone === tone).map(({ id }) => id);
      return ids.length === 0 ? [] : [`  class ${ids.join(',')} ${tone}`];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function printNode({ id, kind, name, state }: GraphNode): string {
  return `${id}["${escape(state === undefined ? kind : `${kind}, ${state.word}`)}<br/>${escape(name)}"]`;
}

/** Everything but plain characters as Mermaid's own entities: no name can end its label, or become markup in it. */
function escape(text: string): string {
  return spellOut(text).replace(/[^A-Za-z0-9 .,/_-]/gu, character => `#${character.codePointAt(0) ?? 0};`);
}
