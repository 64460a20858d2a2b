import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareDiagnoses } from '../doctor/changes.ts';
import { countKinds, diagnose, type Diagnosed } from '../doctor/diagnose.ts';
import { printDiagnosed, printDiagnosis, printSum, toJson, toJsonVerdict } from '../doctor/print.ts';
import type { Sources } from '../doctor/row.ts';
import { readClusterObjects, type ClusterFlags } from './cluster-objects.ts';
import type { Command } from './command.ts';
import { findInput } from './composition-input.ts';
import { parseFlags } from './flags.ts';
import { readInfraTree } from './infra-tree.ts';
import { UsageError } from './usage-error.ts';

const DEFAULT_SECONDS = 30;

export const doctor: Command = {
  usage: `[--infra DIR] [--kubeconfig FILE | --objects FILE|FOLDER] [flags]

Says what is wrong between the layers and what to do about it, worst first: one row of
docs/failure-modes.md after the other, from the files of an infra tree and from the live
cluster. Reads only, and no value of a Secret.

  --infra DIR              the infra tree, as infra/ of this repository is laid out
  --kubeconfig FILE        the cluster, by its current context ...
  --context NAME           ... or by this one
  --objects FILE|FOLDER    objects instead of a cluster, as kubectl get -o yaml prints them;
                           a kind of which there is no object counts as not looked at
  --namespace NS           of the cluster look at this namespace only
  --composition FILE       the Composition whose Input counts; otherwise that of the cluster,
                           then DIR/../apis/tofuworkspace/composition.yaml, then the defaults
  --json                   for machines; docs/doctor.md has the shape
  --watch [SECONDS]        look again every ${DEFAULT_SECONDS} seconds, or as often as this, and print what changed

What could not be read is "not looked at", never fine.

Exit codes: 0 nothing is broken, 1 something is broken, 2 wrong usage or unreadable files.
`,
  async run(args) {
    const { values } = parseFlags(0, () =>
      parseArgs({
        args: fillWatch(args),
        options: {
          infra: { type: 'string' },
          kubeconfig: { type: 'string' },
          context: { type: 'string' },
          objects: { type: 'string' },
          namespace: { type: 'string' },
          composition: { type: 'string' },
          json: { type: 'boolean' },
          watch: { type: 'string' },
        },
        allowPositionals: true,
      }),
    );
    if (values.infra === undefined && values.kubeconfig === undefined && values.objects === undefined)
      throw new UsageError('nothing to look at: name --infra DIR, --kubeconfig FILE or --objects FILE');
    const json = values.json === true;
    const look = async (): Promise<readonly Diagnosed[]> => diagnose(await readSources(values));
    const seconds = values.watch === undefined ? undefined : readSeconds(values.watch);
    const first = await look();
    if (seconds === undefined)
      process.stdout.write(json ? `${JSON.stringify(toJson(first), null, 2)}\n` : printDiagnosis(first));
    else await watch(first, look, { seconds, json });
    return countKinds(first).broken > 0 ? 1 : 0;
  },
};

interface Flags extends ClusterFlags {
  readonly infra?: string | undefined;
  readonly composition?: string | undefined;
}

async function readSources(flags: Flags): Promise<Sources> {
  const cluster = await readClusterObjects(flags);
  const { input, from } = findInput({
    file: flags.composition,
    documents: cluster?.compositions ?? [],
    infra: flags.infra,
  });
  process.stderr.write(`Input: ${from}\n`);
  return {
    tree: flags.infra === undefined ? undefined : readInfraTree(flags.infra),
    snapshot: cluster?.snapshot,
    input,
  };
}

/** `--watch` alone, too. */
function fillWatch(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (arg !== '--watch') return [arg];
    return /^\d+$/.test(args[index + 1] ?? '') ? [arg] : [`--watch=${DEFAULT_SECONDS}`];
  });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new UsageError(`--watch ${text}: expected a whole number of seconds`);
}

/** Runs until it is interrupted. A look that fails is told, and the next one tried. */
async function watch(
  first: readonly Diagnosed[],
  look: () => Promise<readonly Diagnosed[]>,
  { seconds, json }: { readonly seconds: number; readonly json: boolean },
): Promise<never> {
  process.stdout.write(json ? `${JSON.stringify(toJson(first))}\n` : printDiagnosis(first));
  for (let before = first; ;) {
    await sleep(seconds * 1000);
    try {
      const now = await look();
      process.stdout.write(printChanges(before, now, json));
      process.stderr.write(`${new Date().toISOString()} ${printSum(now)}\n`);
      before = now;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      process.stderr.write(`${new Date().toISOString()} ${error.message}\n`);
    }
  }
}

function printChanges(before: readonly Diagnosed[], now: readonly Diagnosed[], json: boolean): string {
  const { appeared, gone } = compareDiagnoses(before, now);
  if (appeared.length + gone.length === 0) return '';
  if (json)
    return `${JSON.stringify({ version: 1, appeared: appeared.map(toJsonVerdict), gone: gone.map(toJsonVerdict) })}\n`;
  const went = gone.map(({ row, verdict }) => {
    const text = 'found' in verdict ? verdict.found : 'why' in verdict ? verdict.why : verdict.looked;
    return `NO MORE       ${row.id}  ${verdict.kind}: ${text}\n`;
  });
  return [...went, ...appeared.map(printDiagnosed)].join('');
}
