/** What `topf apply --dry-run` says by its exit code (topf 0.5, docs/commands/apply.md): 2 where a node would change. */
import type { Ended, Outcome } from './row.ts';

const NOTHING = 0;
const CHANGES = 2;

export function readTopfDryRun({ code }: Ended): Outcome {
  if (code === NOTHING) return { kind: 'no drift', detail: 'every node has its configuration' };
  if (code === CHANGES) return { kind: 'drift', detail: 'the configuration of a node would change' };
  return { kind: 'failed', detail: 'a node cannot be reached, is not ready, or the configuration cannot be made' };
}
