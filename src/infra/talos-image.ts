/** What a Talos node boots and what it becomes: version and schematic, which OpenTofu and topf each name for themselves. */
import { parse } from 'yaml';
import { printPlace, type Finding, type Place, type SourceFile } from './finding.ts';
import { parseHclFile, type HclValue } from './hcl-file.ts';
import type { TalosVm } from './talos-vms.ts';
import { parseYamlFile } from './yaml-file.ts';

export interface TalosVersion extends Place {
  readonly version: string;
}

const VARIABLE = 'talos_version';

/** The default of variable `talos_version`. @throws Error with file and line where it is missing or not literal */
export function parseBootedVersion(source: SourceFile): TalosVersion {
  const { file } = source;
  const variable = parseHclFile(source).find(({ type, labels }) => type === 'variable' && labels[0] === VARIABLE);
  const value = variable?.attributes.get('default');
  if (value?.kind !== 'string')
    throw new Error(`${file}:${variable?.line ?? 1}: expected variable "${VARIABLE}" with a literal default`);
  return { file, line: value.line, version: value.value };
}

/** talosVersion of topf.yaml. @throws Error with file and line where it is missing */
export function parseInstalledVersion(source: SourceFile): TalosVersion {
  const { file } = source;
  const node = parseYamlFile(source).get('talosVersion');
  if (typeof node?.value !== 'string') throw new Error(`${file}:${node?.line ?? 1}: talosVersion: expected a string`);
  return { file, line: node.line, version: node.value };
}

/** OpenTofu ↔ Talos: a new VM boots the version that topf installs. */
export function compareTalosVersions(booted: TalosVersion, installed: TalosVersion): readonly Finding[] {
  return booted.version === installed.version
    ? []
    : [
        at(
          installed,
          `Talos ${installed.version}, but a new VM boots ${booted.version}, which ${printPlace(booted)} names`,
        ),
      ];
}

/** By kind of node: the file with the schematic of its image. */
export interface Schematics {
  readonly plain: string;
  readonly igpu: string;
}

/** `locals { schematics = { plain = …, igpu = … } }`. @throws Error with file and line where it is missing or not literal */
export function parseBootedSchematics(source: SourceFile): Schematics & Place {
  const { file } = source;
  const value = parseHclFile(source)
    .filter(({ type }) => type === 'locals')
    .map(({ attributes }) => attributes.get('schematics'))
    .find(each => each !== undefined);
  if (value === undefined) throw new Error(`${file}:1: expected a local value schematics`);
  const read = (name: keyof Schematics): string => readString(value, name, file);
  return { file, line: value.line, plain: read('plain'), igpu: read('igpu') };
}

function readString(map: HclValue, name: string, file: string): string {
  const value = map.kind === 'object' ? map.entries.get(name) : undefined;
  if (value?.kind !== 'string') throw new Error(`${file}:${map.line}: schematics.${name}: expected a literal string`);
  return value.value;
}

/** A node of topf.yaml with the file of its schematic, its own or the cluster's. */
export interface NodeSchematic extends Place {
  readonly name: string;
  readonly schematic: string | undefined;
}

export function parseInstalledSchematics(source: SourceFile): readonly NodeSchematic[] {
  const root = parseYamlFile(source);
  const cluster = root.get('schematicId');
  return (root.get('nodes')?.items() ?? []).map(node => {
    const value = (node.get('schematicId') ?? cluster)?.value;
    return {
      file: source.file,
      line: node.line,
      name: String(node.get('host')?.value),
      // topf reads @NAME as a file; anything else is an id that nobody here can look into.
      schematic: typeof value === 'string' && value.startsWith('@') ? value.slice(1) : undefined,
    };
  });
}

/** OpenTofu ↔ Talos: a VM boots an image with the extensions that topf installs on it, the iGPU's where it has one. */
export function compareNodeSchematics(
  vms: readonly TalosVm[],
  booted: Schematics,
  installed: readonly NodeSchematic[],
): readonly Finding[] {
  return vms.flatMap(vm => {
    const node = installed.find(({ name }) => name === vm.name);
    const wanted = vm.igpu ? booted.igpu : booted.plain;
    return node === undefined || node.schematic === wanted
      ? []
      : [at(node, `${vm.name} has schematic ${node.schematic ?? 'by id'}, but boots ${wanted} (${printPlace(vm)})`)];
  });
}

/** OpenTofu ↔ Talos: both copies of a schematic say the same; the order of extensions is part of what is hashed. */
export function compareSchematics(booted: SourceFile, installed: SourceFile): readonly Finding[] {
  return JSON.stringify(parse(booted.text)) === JSON.stringify(parse(installed.text))
    ? []
    : [at({ file: installed.file, line: 1 }, `says something else than ${booted.file}`)];
}

function at({ file, line }: Place, message: string): Finding {
  return { file, line, message };
}
