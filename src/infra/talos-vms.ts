/** The Talos VMs that OpenTofu makes: the default of variable `talos_nodes` in environment/production/talos.tf. */
import type { Place, SourceFile } from './finding.ts';
import { readDefaultMap, type HclValue } from './hcl-file.ts';

export interface TalosVm extends Place {
  readonly name: string;
  /** control-plane or worker */
  readonly role: string;
  /** The Proxmox host that it stands on. */
  readonly host: string;
  /** Without the prefix length. */
  readonly address: string;
  /** Whether the host's iGPU is handed to it. */
  readonly igpu: boolean;
}

const VARIABLE = 'talos_nodes';

/** @throws Error with file and line where the map is missing or not literal */
export function parseTalosVms(source: SourceFile): readonly TalosVm[] {
  const { file } = source;
  return [...readDefaultMap(source, VARIABLE)].map(([name, node]) => {
    const read = (field: string): string => readString(node, field, `${file}:${node.line}: ${name}`);
    return {
      file,
      line: node.line,
      name,
      role: read('role'),
      host: read('host'),
      address: read('address').replace(/\/\d+$/, ''),
      igpu: readTruth(node, 'igpu'),
    };
  });
}

function readString(node: HclValue, field: string, where: string): string {
  const value = node.kind === 'object' ? node.entries.get(field) : undefined;
  if (value?.kind !== 'string') throw new Error(`${where}.${field}: expected a literal string`);
  return value.value;
}

function readTruth(node: HclValue, field: string): boolean {
  const value = node.kind === 'object' ? node.entries.get(field) : undefined;
  return value?.kind === 'boolean' && value.value;
}
