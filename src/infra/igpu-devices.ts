/** iGPUs by their PCI ids: those that OpenTofu maps into VMs, and those that Ansible takes from the host's driver. */
import { printPlace, type Finding, type Place, type SourceFile } from './finding.ts';
import { readDefaultMap } from './hcl-file.ts';
import { parseYamlFile } from './yaml-file.ts';

/** The iGPU of a hypervisor, as the default of variable `hypervisors` describes it. */
export interface MappedIgpu extends Place {
  readonly host: string;
  /** vendor:device, as in 8086:46a6 */
  readonly id: string;
}

const VARIABLE = 'hypervisors';

/** @throws Error with file and line where the map is missing or not literal */
export function parseMappedIgpus(source: SourceFile): readonly MappedIgpu[] {
  const { file } = source;
  return [...readDefaultMap(source, VARIABLE)].flatMap(([host, value]) => {
    const igpu = value.kind === 'object' ? value.entries.get('igpu') : undefined;
    if (igpu === undefined) return [];
    const id = igpu.kind === 'object' ? igpu.entries.get('id') : undefined;
    if (id?.kind !== 'string') throw new Error(`${file}:${igpu.line}: ${host}.igpu.id: expected a literal string`);
    return [{ file, line: id.line, host, id: id.value }];
  });
}

/** What Ansible hands to vfio-pci. */
export interface HandedIds extends Place {
  readonly ids: readonly string[];
}

const IDS = 'igpu_passthrough_pci_ids';

/** Variables of a group or a host; undefined where the file does not name any. */
export function parseHandedIds(source: SourceFile): HandedIds | undefined {
  const node = parseYamlFile(source).get(IDS);
  if (node === undefined) return undefined;
  return { file: source.file, line: node.line, ids: node.items().map(({ value }) => String(value)) };
}

/**
 * Ansible ↔ OpenTofu: what a VM is given is what the host lets go of.
 * @param own by host, where host_vars override the group
 */
export function compareIgpuIds(
  mapped: readonly MappedIgpu[],
  group: HandedIds,
  own: ReadonlyMap<string, HandedIds> = new Map(),
): readonly Finding[] {
  return mapped.flatMap(igpu => {
    const handed = own.get(igpu.host) ?? group;
    return handed.ids.includes(igpu.id)
      ? []
      : [
          {
            file: igpu.file,
            line: igpu.line,
            message: `${igpu.host} has the iGPU ${igpu.id}, but Ansible hands over ${handed.ids.join(', ')} (${printPlace(handed)})`,
          },
        ];
  });
}
