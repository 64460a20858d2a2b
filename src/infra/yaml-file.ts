/** YAML with places: what a node holds, and the line on which it stands. */
import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Node } from 'yaml';
import type { SourceFile } from './finding.ts';

/** A node of a YAML document. */
export interface YamlNode {
  readonly line: number;
  /** Of a map; undefined where there is no such key, or no map. */
  readonly get: (key: string) => YamlNode | undefined;
  /** Of a map, in the order of the text. */
  readonly entries: () => readonly (readonly [string, YamlNode])[];
  /** Of a list. */
  readonly items: () => readonly YamlNode[];
  readonly value: unknown;
}

/** The first document. @throws Error with file and line where the text is not YAML */
export function parseYamlFile(source: SourceFile): YamlNode {
  const [first] = parseYamlDocuments(source);
  if (first === undefined) throw new Error(`${source.file}:1: expected a YAML document`);
  return first;
}

/** @throws Error with file and line where the text is not YAML */
export function parseYamlDocuments({ file, text }: SourceFile): readonly YamlNode[] {
  const lines = new LineCounter();
  return [...parseAllDocuments(text, { lineCounter: lines })].map(document => {
    const [fault] = document.errors;
    if (fault !== undefined) throw new Error(`${file}:${lines.linePos(fault.pos[0]).line}: ${fault.code}`);
    return wrap(document.contents, lines, 1);
  });
}

function wrap(node: Node | null, lines: LineCounter, line: number): YamlNode {
  const own = node?.range === undefined || node.range === null ? line : lines.linePos(node.range[0]).line;
  const entries = (): [string, YamlNode][] =>
    isMap<Node, Node>(node)
      ? node.items.map(({ key, value }) => {
          // Of `key:` without a value there is only the key.
          const at = key.range === undefined || key.range === null ? own : lines.linePos(key.range[0]).line;
          return [isScalar(key) ? String(key.value) : String(key), { ...wrap(value, lines, at), line: at }];
        })
      : [];
  return {
    line: own,
    entries,
    get: key => entries().find(([name]) => name === key)?.[1],
    items: () => (isSeq<Node>(node) ? node.items.map(item => wrap(item, lines, own)) : []),
    value: isScalar(node) ? node.value : undefined,
  };
}
