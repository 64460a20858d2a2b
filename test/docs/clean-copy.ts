/** A copy of the tree as a fresh clone would hold it, set up and built, in which a document's commands may change what they like. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './documents.ts';

export interface CleanCopy {
  readonly root: string;
  readonly remove: () => void;
}

export function makeCleanCopy(): CleanCopy {
  const root = mkdtempSync(join(tmpdir(), 'docs-commands-'));
  for (const path of trackedFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyWithTimes(path, root);
  }
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true, preserveTimestamps: true });
  linkModules(root);
  return {
    root,
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What git has, and what it would take in. */
function trackedFiles(): readonly string[] {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\0').filter(path => path !== '' && existsSync(join(ROOT, path)));
}

/** One link for each package and not one for the folder: an `npm ci` in the copy would empty the folder behind it. */
function linkModules(root: string): void {
  const modules = join(root, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter(entry => entry !== '.installed'))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  copyWithTimes('node_modules/.installed', root);
}

/** make compares times: what was installed and built must stay newer than what it was made from. */
function copyWithTimes(path: string, root: string): void {
  copyFileSync(join(ROOT, path), join(root, path));
  const { atime, mtime } = statSync(join(ROOT, path));
  utimesSync(join(root, path), atime, mtime);
}
