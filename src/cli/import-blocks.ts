import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import type { AdoptionPlan } from '../adopt/adoption.ts';
import { ADOPTING_KINDS, planAdoptions } from '../adopt/plan-adoptions.ts';
import { parseInput } from '../api/input.ts';
import { B2Account, B2Error } from '../b2/client.ts';
import { isDocumentError } from '../errors.ts';
import { B2_FLAGS, B2_USAGE, readB2Access } from './b2-access.ts';
import { readInput } from './case.ts';
import { NAMESPACE_FLAGS, NAMESPACE_USAGE, readNamespaceObjects, requireNamespace } from './namespace-objects.ts';
import type { Command } from './command.ts';
import { parseFlags } from './flags.ts';
import { printable } from './printable.ts';
import { UsageError } from './usage-error.ts';

const FLAGS = {
  ...NAMESPACE_FLAGS,
  ...B2_FLAGS,
  composition: { type: 'string' },
  bucket: { type: 'string', multiple: true },
} as const;

export const importBlocks: Command = {
  usage: `<namespace> [flags]

Prints the adoptBuckets entries of a TofuWorkspace, for buckets that labelled Schedules of
the namespace name and that exist at Backblaze: the function makes OpenTofu's import blocks
of them. A bucket that another Workspace, TofuWorkspace or namespace's Schedule speaks of is
refused, and then nothing is printed. It changes nothing.

The key is taken from B2_APPLICATION_KEY_ID and B2_APPLICATION_KEY. It needs listBuckets,
of the whole account.

${NAMESPACE_USAGE}
  --bucket NAME           only this one; may be repeated
  --composition FILE      the Composition in use, for its labels and endpoints
${B2_USAGE}
For --objects: kubectl get tofuworkspaces.platform.kueber.eu,schedules.k8up.io,\\
workspaces.opentofu.m.upbound.io -A -o yaml

Exit codes: 0 done (with nothing on stdout there is nothing to adopt), 1 refused, 2 wrong
usage or unreadable files.
`,
  async run(args) {
    const { values, positionals } = parseFlags(1, () =>
      parseArgs({ args: [...args], options: FLAGS, allowPositionals: true }),
    );
    const namespace = requireNamespace(positionals[0]);
    const input = readCompositionInput(values.composition);
    const access = readB2Access(values);
    const objects = await readNamespaceObjects(values, namespace, ADOPTING_KINDS);
    try {
      const account = await (await B2Account.authorize(access)).listBuckets();
      const plan = planAdoptions({ namespace, ...objects, input, account, chosen: values.bucket ?? [] });
      return tell(plan, namespace);
    } catch (error) {
      if (!(error instanceof B2Error)) throw error;
      process.stderr.write(`refused: cannot ask Backblaze: ${printable(error.message)}\n`);
      return 1;
    }
  },
};

/** @throws UsageError */
function readCompositionInput(path: string | undefined): ReturnType<typeof parseInput> {
  try {
    return parseInput(readInput(path));
  } catch (error) {
    if (isDocumentError(error)) throw new UsageError(error.message);
    throw error;
  }
}

function tell({ adoptBuckets, added, refusals, notes }: AdoptionPlan, namespace: string): number {
  const say = (line: string): boolean => process.stderr.write(`${printable(line)}\n`);
  for (const note of notes) say(note);
  for (const refusal of refusals) say(`refused: ${refusal}`);
  if (refusals.length > 0) return 1;
  if (added === 0) {
    say(`nothing to adopt in ${namespace}`);
    return 0;
  }
  process.stdout.write(stringify({ spec: { adoptBuckets } }));
  say(`${added} to adopt. Pause both objects first, and read the import blocks: docs/runbooks/adopt-bucket.md`);
  return 0;
}
