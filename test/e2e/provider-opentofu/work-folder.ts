/** The folder with all run directories: one provider at a time, and no directory of a Workspace that is gone. */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProvider } from './leftovers.ts';

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws Error where another provider works in it */
export function claimWorkFolder(work: string): () => void {
  mkdirSync(work, { recursive: true, mode: 0o700 });
  const file = join(work, 'provider.pid');
  const pid = readPid(file);
  if (pid !== undefined && isProvider(pid))
    throw new Error(`process ${pid} works in ${work}: two providers would run tofu twice in one directory`);
  writeFileSync(file, `${process.pid}\n`);
  return () => {
    rmSync(file, { force: true });
  };
}

function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Directories of Workspaces that no longer exist. */
export function collectGarbage(work: string, uids: ReadonlySet<string>): readonly string[] {
  const gone = readdirSync(work).filter(name => UID.test(name) && !uids.has(name));
  for (const name of gone) rmSync(join(work, name), { recursive: true, force: true });
  return gone;
}
