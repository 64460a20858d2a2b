/** A Talos cluster as topf reads it: topf.yaml of infra/talos. */
import type { Place, SourceFile } from './finding.ts';
import { parseYamlFile, type YamlNode } from './yaml-file.ts';

export interface TopfNode extends Place {
  readonly name: string;
  readonly role: string;
  readonly address: string;
  /** data.host: the Proxmox host; absent where nodes are no VMs of ours. */
  readonly host: string | undefined;
  /** data.igpu */
  readonly igpu: boolean;
}

export interface TopfCluster {
  readonly endpoint: Place & { readonly url: string };
  readonly nodes: readonly TopfNode[];
}

/** @throws Error with file and line where a key is missing */
export function parseTopf(source: SourceFile): TopfCluster {
  const { file } = source;
  const root = parseYamlFile(source);
  const endpoint = root.get('clusterEndpoint');
  const nodes = root.get('nodes');
  if (nodes === undefined) throw new Error(`${file}:1: expected nodes`);
  return {
    endpoint: { file, line: endpoint?.line ?? 1, url: readString(file, root, 'clusterEndpoint') },
    nodes: nodes.items().map(node => ({
      file,
      line: node.line,
      name: readString(file, node, 'host'),
      role: readString(file, node, 'role'),
      address: readString(file, node, 'ip'),
      host: readOptional(node.get('data')?.get('host')),
      igpu: node.get('data')?.get('igpu')?.value === true,
    })),
  };
}

function readString(file: string, node: YamlNode, key: string): string {
  return readOptional(node.get(key)) ?? fail(file, node, key);
}

function readOptional(node: YamlNode | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined;
}

function fail(file: string, { line }: YamlNode, key: string): never {
  throw new Error(`${file}:${line}: ${key}: expected a string`);
}
