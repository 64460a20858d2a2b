/** Which files a Workspace and its ProviderConfig make of its run directory, and with which arguments tofu reads them. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ProviderConfig, WorkspaceParameters } from './api.ts';
import { within } from './step.ts';

const PROVIDER_CONFIG_FILE = 'crossplane-provider-config.tf';
const BACKEND_FILE = 'crossplane.remote.tfbackend';

export interface RunFile {
  /** In the run directory. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** What the provider says where it can't be written. */
  readonly fault: string;
}

/** The run directory, or the folder in it that is the root module. */
export function rootModuleFolder(directory: string, { entrypoint = '' }: WorkspaceParameters): string {
  return join(directory, entrypoint.replaceAll('../', ''));
}

/** The module itself: outside of the entrypoint. */
export function moduleFile(directory: string, { inlineFormat, module }: WorkspaceParameters): RunFile {
  const name = inlineFormat === 'JSON' ? 'main.tf.json' : 'main.tf';
  return { path: join(directory, name), content: module, fault: `cannot write tofu configuration ${name}` };
}

/** Only the last part of a credential's file name counts: it overwrites what has that name. */
export function credentialsFile(folder: string, filename: string, content: Uint8Array): RunFile {
  return { path: join(folder, basename(filename)), content, fault: 'cannot write tofu credentials' };
}

export function configurationFiles(folder: string, { spec }: ProviderConfig): readonly RunFile[] {
  const { configuration, backendFile } = spec;
  const file = (name: string, content: string | undefined): readonly RunFile[] =>
    content === undefined
      ? []
      : [{ path: join(folder, name), content, fault: `cannot write tofu configuration ${name}` }];
  return [...file(PROVIDER_CONFIG_FILE, configuration), ...file(BACKEND_FILE, backendFile)];
}

export function initArguments(
  folder: string,
  { spec }: ProviderConfig,
  { initArgs = [] }: WorkspaceParameters,
): readonly string[] {
  const backend = spec.backendFile === undefined ? [] : [`-backend-config=${join(folder, BACKEND_FILE)}`];
  return [...backend, ...initArgs];
}

/** A file of variables, as it was read. */
export interface Variables {
  readonly format: 'HCL' | 'JSON';
  readonly content: string | Uint8Array;
}

export interface VariableOptions {
  readonly args: readonly string[];
  readonly files: readonly RunFile[];
}

/** Values first, then files in their order, then the map: the later one wins in OpenTofu. */
export function variableOptions(
  folder: string,
  { vars = [], varmap }: WorkspaceParameters,
  varFiles: readonly Variables[],
): VariableOptions {
  const all: readonly Variables[] =
    varmap === undefined ? varFiles : [...varFiles, { format: 'JSON', content: JSON.stringify(varmap) }];
  const named = all.map(({ format, content }, index) => ({
    name: `crossplane-provider-opentofu-${index}.tfvars${format === 'JSON' ? '.json' : ''}`,
    content,
  }));
  return {
    args: [...vars.map(({ key, value }) => `-var=${key}=${value}`), ...named.map(({ name }) => `-var-file=${name}`)],
    files: named.map(({ name, content }) => ({
      path: join(folder, name),
      content,
      fault: 'cannot write tfvars file',
    })),
  };
}

export async function writeRunFile({ path, content, fault }: RunFile): Promise<void> {
  await within(fault, writeFile(path, content, { mode: 0o600 }));
}
