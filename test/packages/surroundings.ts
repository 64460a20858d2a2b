/** What test/packages/check.sh has laid out, and the commands that the tests look at it with. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const BUILDERS = ['docker', 'crane'] as const;
export const ARCHES = ['amd64', 'arm64'] as const;

export type Builder = (typeof BUILDERS)[number];
export type Arch = (typeof ARCHES)[number];

/** HOST:PORT/NAME, on this machine. */
export const REGISTRY = required('PACKAGES_REGISTRY');

/** The user that the image names, and the one that Crossplane runs functions as unless told otherwise. */
export const USERS = ['65532:65532', '2000:2000'] as const;

export function imagePath(builder: Builder, arch: Arch, run: 'first' | 'second' = 'first'): string {
  return join(required('PACKAGES_IMAGES'), `${builder}-${arch}${run === 'second' ? '-second' : ''}.tar`);
}

export function crane(...args: readonly string[]): string {
  return runTool(required('CRANE'), args);
}

export function docker(...args: readonly string[]): string {
  return runTool(required('DOCKER'), args);
}

export function runTool(command: string, args: readonly string[], input?: Buffer): string {
  return execFileSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(input === undefined ? {} : { input }),
  });
}

export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: run \`make packages-check\``);
  return value;
}
