/** Reads image tarballs, as `docker save` and crane write them. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { required, runTool } from './surroundings.ts';

export interface ImageConfig {
  readonly architecture: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

export interface Entry {
  /** As `ls -l` prints it, such as -rw-r--r--. */
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly path: string;
}

export function readImageConfig(archive: string): ImageConfig {
  const [image] = JSON.parse(extract(archive, 'manifest.json')) as [{ Config: string }];
  return JSON.parse(extract(archive, image.Config)) as ImageConfig;
}

/** Everything in the image's file system, layers applied one over the other. */
export function listFiles(archive: string): readonly Entry[] {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  const image = openSync(archive, 'r');
  try {
    const flat = join(folder, 'flat.tar');
    execFileSync(required('CRANE'), ['export', '-', flat], { stdio: [image, 'ignore', 'inherit'] });
    return runTool('tar', ['--numeric-owner', '-tvf', flat]).split('\n').filter(Boolean).map(parseEntry);
  } finally {
    closeSync(image);
    rmSync(folder, { recursive: true });
  }
}

/** `-rw-r--r-- 0/0   82 1970-01-01 00:00 app/package.json`, with ` -> target` behind a link's path. */
function parseEntry(line: string): Entry {
  const found = /^(?<mode>\S{10}) (?<uid>\d+)\/(?<gid>\d+) +\S+ \S+ \S+ (?<path>.*)$/.exec(line)?.groups;
  if (found === undefined) throw new Error(`cannot read tar's line ${line}`);
  const { mode = '', uid, gid, path = '' } = found;
  return {
    mode,
    uid: Number(uid),
    gid: Number(gid),
    path: path.replace(/ -> .*$| link to .*$/, '').replace(/^\.?\//, ''),
  };
}

/** Whether the mode lets this user write. */
export function isWritableBy({ mode, uid, gid }: Entry, user: number): boolean {
  return (uid === user && mode[2] === 'w') || (gid === user && mode[5] === 'w') || mode[8] === 'w';
}

function extract(archive: string, path: string): string {
  return execFileSync('tar', ['-xOf', archive, path], { encoding: 'utf8' });
}
