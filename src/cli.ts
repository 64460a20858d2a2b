#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { decideCase, findCaseFiles } from './cli/case.ts';
import { explainDecision } from './cli/explain.ts';
import { explainAsMermaid, writePage } from './cli/explain-graph.ts';
import { renderDecision, type RenderPart } from './cli/render.ts';
import { UsageError } from './cli/usage-error.ts';
import { consider, parse } from './decide.ts';
import type { Decision } from './decision.ts';
import type { Observation } from './observation.ts';

const HELP = `Usage: tofuworkspace <command> [CASE_FOLDER] [flags]

Runs the function's decision on files. Needs no cluster, no Docker, no server.

Commands:
  render    print what is composed, as YAML
  explain   print which Schedule or route led to what, and what was ignored and why

A case folder holds xr.yaml and, as needed, required.yaml (Schedules, HTTPRoutes, the
Namespace), observed.yaml (what the XR composes already), outputs.yaml (connection
Secrets) and composition.yaml. Each can be named instead:

  --xr FILE  --required FILE|FOLDER  --observed FILE|FOLDER  --outputs FILE  --composition FILE

Flags of render:
  --module            print only the Workspace's OpenTofu module
  --provider-config   print only the ProviderConfig's configuration

Flags of explain:
  --mermaid           print the graph in Mermaid's language instead of tables
  --html FILE         write one page that needs no network: the graph, and on a click the
                      reasons, objects and HCL behind a box; no Secret's value is in it

  -h, --help          print this

Exit codes: 0 decided, 1 refused (the Fatal message is on stderr), 2 wrong usage or unreadable files.
`;

const options = {
  xr: { type: 'string' },
  required: { type: 'string' },
  observed: { type: 'string' },
  outputs: { type: 'string' },
  composition: { type: 'string' },
  module: { type: 'boolean' },
  'provider-config': { type: 'boolean' },
  mermaid: { type: 'boolean' },
  html: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseCommandLine>['values'];

function parseCommandLine(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function main(argv: readonly string[]): number {
  const { values, positionals } = parseCommandLine(argv);
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const [command, folder, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  if (command === 'render') return run(folder, values, renderPart(values));
  if (command === 'explain') return run(folder, values, 'explain');
  throw new UsageError(command === undefined ? 'name a command' : `unknown command ${JSON.stringify(command)}`);
}

function renderPart(values: Values): RenderPart {
  if (values.module === true && values['provider-config'] === true)
    throw new UsageError('--module and --provider-config print two files: give one of them');
  if (values.module === true) return 'module';
  return values['provider-config'] === true ? 'provider-config' : 'all';
}

function run(folder: string | undefined, values: Values, what: RenderPart | 'explain'): number {
  const { observation, decision } = decideCase(findCaseFiles(folder, values));
  if (decision.kind === 'refused') {
    process.stderr.write(`refused: ${decision.fatal}\n`);
    return 1;
  }
  if (what === 'explain') explain(observation, decision, values);
  else {
    process.stdout.write(renderDecision(decision, what));
    for (const warning of decision.warnings) process.stderr.write(`warning: ${warning}\n`);
  }
  return 0;
}

function explain(observation: Observation, decision: Exclude<Decision, { kind: 'refused' }>, values: Values): void {
  if (values.mermaid === true && values.html !== undefined)
    throw new UsageError('--mermaid and --html show one graph two ways: give one of them');
  const considered = consider(observation, parse(observation));
  // The files answer every requirement: it waits for nothing.
  if (decision.kind === 'settled' && values.html !== undefined) {
    writePage(values.html, considered, decision);
    process.stderr.write(`written: ${values.html}\n`);
  } else if (decision.kind === 'settled' && values.mermaid === true)
    process.stdout.write(explainAsMermaid(considered, decision));
  else process.stdout.write(explainDecision(considered, decision));
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`tofuworkspace: ${error.message}\nTry "tofuworkspace --help".\n`);
  process.exitCode = 2;
}
