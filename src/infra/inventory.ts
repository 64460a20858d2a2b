/** Hosts of the Ansible inventory: infra/ansible/inventory.yml. */
import type { Place, SourceFile } from './finding.ts';
import { parseYamlFile, type YamlNode } from './yaml-file.ts';

export interface InventoryHost extends Place {
  readonly name: string;
}

/**
 * The hosts of one group, those of its child groups included.
 * @throws Error where the inventory has no such group
 */
export function parseInventoryGroup(source: SourceFile, group: string): readonly InventoryHost[] {
  const found = findGroups(parseYamlFile(source), group);
  if (found.length === 0) throw new Error(`${source.file}:1: expected a group ${group}`);
  return found.flatMap(node => hostsOf(source.file, node));
}

function findGroups(groups: YamlNode, wanted: string): readonly YamlNode[] {
  return groups
    .entries()
    .flatMap(([name, node]) => [...(name === wanted ? [node] : []), ...findGroups(childrenOf(node), wanted)]);
}

function hostsOf(file: string, group: YamlNode): readonly InventoryHost[] {
  const own = group.get('hosts')?.entries() ?? [];
  return [
    ...own.map(([name, { line }]) => ({ file, line, name })),
    ...childrenOf(group)
      .entries()
      .flatMap(([, child]) => hostsOf(file, child)),
  ];
}

const NOTHING: YamlNode = { line: 1, get: () => undefined, entries: () => [], items: () => [], value: undefined };

function childrenOf(group: YamlNode): YamlNode {
  return group.get('children') ?? NOTHING;
}
