import { existsSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isClean, printDrift, printSum, toJson } from '../drift/print.ts';
import { LAYERS, type DriftRow, type Layer } from '../drift/row.ts';
import type { ClusterAccess } from '../live/from-api.ts';
import { readApi } from './cluster-objects.ts';
import type { Command } from './command.ts';
import { clusterCheck, findChecks, type Check } from './drift-checks.ts';
import { parseFlags } from './flags.ts';
import { endAll } from './run-process.ts';
import { UsageError } from './usage-error.ts';

const DEFAULT_TIMEOUT_S = 600;
/** Every plan starts its providers: more at once would fight for memory. */
const AT_ONCE = 4;

export const drift: Command = {
  usage: `--infra DIR [flags]

Looks for what differs from what is declared, layer by layer, and changes nothing: a plan
for each environment of OpenTofu (it reports), a check of each Ansible playbook and a dry
run for each Talos cluster (they detect), the conditions of Flux and Crossplane (they
reconcile). Side by side; of what the tools print only counts and addresses are shown.

  --infra DIR         the infra tree, as infra/ of this repository is laid out
  --kubeconfig FILE   the cluster, by its current context ...
  --context NAME      ... or by this one
  --layer LAYERS      only these, with commas between: ${LAYERS.join(', ')}
  --timeout SECONDS   end a check that takes longer (${DEFAULT_TIMEOUT_S})
  --json              for machines; docs/doctor.md has the shape

A tool or credential that is missing is a row, not checked. Nothing is initialised either:
an environment without init fails.

Exit codes: 0 all of it was checked and nothing drifted, 1 drift, or a check that failed or
could not be made, 2 wrong usage.
`,
  async run(args) {
    const { values } = parseFlags(0, () =>
      parseArgs({
        args: [...args],
        options: {
          infra: { type: 'string' },
          kubeconfig: { type: 'string' },
          context: { type: 'string' },
          layer: { type: 'string' },
          timeout: { type: 'string', default: String(DEFAULT_TIMEOUT_S) },
          json: { type: 'boolean' },
        },
        allowPositionals: true,
      }),
    );
    const { infra } = values;
    if (infra === undefined) throw new UsageError('name the infra tree: --infra DIR');
    if (statSync(infra, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--infra ${infra}: expected a folder`);
    const layers = readLayers(values.layer);
    const timeoutMs = readSeconds(values.timeout) * 1000;
    const live = layers.filter(layer => layer === 'flux' || layer === 'crossplane');
    const checks = [
      ...layers.flatMap(layer => findChecks(layer, infra, timeoutMs)),
      ...(live.length > 0 ? [clusterCheck(live, readAccess(values))] : []),
    ];
    const rows = await readApi(() => lookAll(checks));
    process.stdout.write(values.json === true ? `${JSON.stringify(toJson(rows), null, 2)}\n` : printDrift(rows));
    return isClean(rows) ? 0 : 1;
  },
};

function readLayers(text: string | undefined): readonly Layer[] {
  if (text === undefined) return LAYERS;
  const names = text.split(',').map(name => name.trim());
  const strange = names.find(name => !LAYERS.some(layer => layer === name));
  if (strange !== undefined)
    throw new UsageError(`--layer ${JSON.stringify(strange)}: expected one of ${LAYERS.join(', ')}`);
  return LAYERS.filter(layer => names.includes(layer));
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new UsageError(`--timeout ${text}: expected a whole number of seconds`);
}

function readAccess(flags: { readonly kubeconfig?: string; readonly context?: string }): ClusterAccess | undefined {
  const { kubeconfig, context } = flags;
  if (kubeconfig === undefined) {
    if (context !== undefined) throw new UsageError('--context needs --kubeconfig');
    return undefined;
  }
  if (!existsSync(kubeconfig)) throw new UsageError(`--kubeconfig ${kubeconfig}: there is no such file`);
  return { kubeconfig, context };
}

/** Rows in the order of the checks, however they end. */
async function lookAll(checks: readonly Check[]): Promise<readonly DriftRow[]> {
  const interrupted = (): never => {
    endAll();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const results: (readonly DriftRow[])[] = checks.map(() => []);
  const left = [...checks.entries()];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { layer, subject, look }] = next;
      const started = Date.now();
      process.stderr.write(`${layer} ${subject}: looking\n`);
      const rows = await look();
      results[index] = rows;
      done += 1;
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      process.stderr.write(`[${done}/${checks.length}] ${layer} ${subject}: ${printSum(rows)} (${seconds} s)\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  return results.flat();
}
