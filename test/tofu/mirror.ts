/** Providers as the real `tofu init` finds them: a filesystem mirror of tools/schema-replay with the pinned schemas. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool } from '../conformance/tools.ts';

const SCHEMAS = fileURLToPath(new URL('../../data/provider-schemas/', import.meta.url));
const PINS = ['backblaze__b2.json=0.13.0', 'netbirdio__netbird.json=0.0.10', 'hashicorp__random.json=3.9.0'];

/** CLI configuration of OpenTofu that reads from the mirror alone. */
export function cliConfigurationOf(mirror: string): string {
  return join(mirror, 'tofurc');
}

export function writeMirror(folder: string): void {
  const { status, stderr, error } = spawnSync(
    findTool('schema-replay'),
    ['mirror', folder, ...PINS.map(pin => join(SCHEMAS, pin))],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(error?.message ?? stderr);
}
