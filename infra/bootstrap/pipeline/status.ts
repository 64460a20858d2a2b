/**
 * Where the bootstrap stands: every phase, the verdict of each of its exit checks, what to run next.
 * Exit 0 when all hold, 1 when something is left to do.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPhases, readTasks, type Check } from './pipeline.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const checks = process.env['BOOTSTRAP_CHECKS'] ?? 'checks';

interface Verdict {
  readonly holds: boolean;
  readonly says: string;
}

function judge(check: Check): Verdict {
  const { status, stdout, stderr, error } = spawnSync(join(checks, check.name), { cwd: folder, encoding: 'utf8' });
  const lines = `${stdout}\n${stderr}`.split('\n').filter(line => line.trim() !== '');
  return { holds: status === 0, says: error?.message ?? lines.at(-1) ?? '' };
}

// What comes after a phase that is not done cannot be judged: its checks would only wait for hosts that are not there.
let next: { phase: string; message: string } | undefined;
for (const phase of readPhases(readTasks())) {
  const number = phase.name.replace('phase', '');
  process.stdout.write(`Phase ${number}  ${phase.title}\n`);
  const open = next;
  for (const check of phase.checks) {
    const verdict = open === undefined ? judge(check) : undefined;
    const word = verdict === undefined ? 'waits' : verdict.holds ? 'holds' : 'FAILS';
    const says = verdict === undefined ? `for ${open?.phase ?? ''}` : verdict.says;
    process.stdout.write(`  ${word}  ${check.name.padEnd(18)} ${says}\n`);
    if (verdict?.holds === false) next ??= { phase: phase.name, message: check.message };
  }
}
process.stdout.write(next === undefined ? '\nAll phases are done.\n' : `\nNext: ${next.message}\n`);
process.exitCode = next === undefined ? 0 : 1;
