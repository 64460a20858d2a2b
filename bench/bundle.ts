/** The server as the image holds it: one ES module. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'build/bench');
const BUNDLE = join(FOLDER, 'app/dist/main.js');

/** Makes the bundle anew. */
export function bundleServer(): { readonly command: readonly string[]; readonly kibibytes: number } {
  execFileSync(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/bundle.ts'), FOLDER], { cwd: ROOT });
  return {
    command: [process.execPath, BUNDLE, '--insecure', '--address', '127.0.0.1:0'],
    kibibytes: statSync(BUNDLE).size / 1024,
  };
}
