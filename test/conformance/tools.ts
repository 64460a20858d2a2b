/** Finds the real tools that `make tools` builds. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type Tool =
  | 'crossplane'
  | 'crossplane-cli'
  | 'kubernetes/kube-apiserver'
  | 'hcl-dump'
  | 'opentofu'
  | 'opentofu-1.10'
  | 'schema-replay'
  | 'versitygw';

const PATH_SCRIPT = fileURLToPath(new URL('../../tools/path.sh', import.meta.url));

const found = new Map<Tool, string>();

/** Path of a tool's binary. @throws Error that says what to do where it has not been built */
export function findTool(name: Tool): string {
  const path = found.get(name) ?? askForTool(name);
  found.set(name, path);
  return path;
}

function askForTool(name: Tool): string {
  const { status, stdout, stderr, error } = spawnSync(PATH_SCRIPT, name.split('/'), { encoding: 'utf8' });
  if (error !== undefined || status !== 0) throw new Error((error?.message ?? stderr).trim());
  return stdout.trim();
}

/**
 * For `describe.skipIf`: true, with a printed reason, where one of the tools is missing.
 * @throws Error where CI is set: there a skip would hide that nothing was tested
 */
export function skipWithout(...names: Tool[]): boolean {
  try {
    names.forEach(findTool);
    return false;
  } catch (error) {
    if (process.env.CI !== undefined && process.env.CI !== '') throw error;
    console.warn(`SKIPPED: ${error instanceof Error ? error.message : String(error)}`);
    return true;
  }
}
