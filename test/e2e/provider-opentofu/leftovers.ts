/**
 * What a provider that was killed left running. A pod's processes end with it; here they would go on, and a second tofu
 * would start beside one in the same directory. So the next provider ends them before it begins.
 */
import { readFileSync, readdirSync } from 'node:fs';

/** In the environment of every tofu, and by it of every provider that tofu starts: the work folder they belong to. */
export const MARK = 'PROVIDER_OPENTOFU_STAND_IN';

/** Process ids; empty where there is no /proc. */
export function endLeftovers(work: string): readonly number[] {
  const left = processes().filter(pid => readProcess(pid, 'environ').includes(`${MARK}=${work}`));
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left;
}

/** Whether a process is a stand-in for the provider. */
export function isProvider(pid: number): boolean {
  return readProcess(pid, 'cmdline').some(word => word.endsWith('provider-opentofu/main.ts'));
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readProcess(pid: number, file: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    // Ended meanwhile, or somebody else's.
    return [];
  }
}
