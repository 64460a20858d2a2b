/** A file without a name: unlinked before it is written, on a file system in memory, reached through its descriptor. */
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';

/** The descriptor; whoever gets it closes it. A child opens it anew, from its first byte, as /proc/self/fd/<number>. */
export function openNamelessFile(content: string): number {
  const folder = mkdtempSync(join(MEMORY, 'bootstrap-'));
  try {
    const descriptor = openSync(join(folder, 'secret'), 'wx+', 0o600);
    rmSync(folder, { recursive: true });
    writeSync(descriptor, content);
    return descriptor;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
