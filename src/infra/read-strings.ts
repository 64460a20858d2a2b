/** A map of strings, such as labels, out of a YAML node; what is no string is left out. */
import type { YamlNode } from './yaml-file.ts';

export function readStrings(node: YamlNode | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (node?.entries() ?? []).flatMap(([key, { value }]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
