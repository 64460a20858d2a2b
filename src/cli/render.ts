import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import type { Decision, Settled, Waiting } from '../decision.ts';
import { readPath, type KubeObject } from '../kube.ts';
import { CASE_FLAGS, CASE_USAGE, decideCase, findCaseFiles } from './case.ts';
import type { Command } from './command.ts';
import { parseFlags } from './flags.ts';
import { UsageError } from './usage-error.ts';

export type RenderPart = 'all' | 'module' | 'provider-config';

export const render: Command = {
  usage: `[CASE_FOLDER] [flags]

Runs the function's decision on files and prints what is composed, as YAML. Needs no
cluster, no Docker, no server.

${CASE_USAGE}
  --module            print only the Workspace's OpenTofu module
  --provider-config   print only the ProviderConfig's configuration

Exit codes: 0 decided, 1 refused (the Fatal message is on stderr), 2 wrong usage or unreadable files.
`,
  run(args) {
    const options = { ...CASE_FLAGS, module: { type: 'boolean' }, 'provider-config': { type: 'boolean' } } as const;
    const { values, positionals } = parseFlags(1, () =>
      parseArgs({ args: [...args], options, allowPositionals: true }),
    );
    const part = readPart(values.module === true, values['provider-config'] === true);
    const { decision } = decideCase(findCaseFiles(positionals[0], values));
    if (decision.kind === 'refused') {
      process.stderr.write(`refused: ${decision.fatal}\n`);
      return 1;
    }
    process.stdout.write(renderDecision(decision, part));
    for (const warning of decision.warnings) process.stderr.write(`warning: ${warning}\n`);
    return 0;
  },
};

function readPart(module: boolean, providerConfig: boolean): RenderPart {
  if (module && providerConfig)
    throw new UsageError('--module and --provider-config print two files: give one of them');
  if (module) return 'module';
  return providerConfig ? 'provider-config' : 'all';
}

/** What a decision composes, as YAML documents, or one of its two HCL texts. */
export function renderDecision(decision: Exclude<Decision, { kind: 'refused' }>, part: RenderPart): string {
  if (part === 'module') return readText(decision, 'Workspace', ['spec', 'forProvider', 'module']);
  if (part === 'provider-config') return readText(decision, 'ProviderConfig', ['spec', 'configuration']);
  const status = decision.status === undefined ? [] : [{ status: decision.status }];
  const objects = [...decision.resources].map(([key, { object }]) => withKey(key, object));
  return [...status, ...objects].map(document => `---\n${stringify(document, { lineWidth: 0 })}`).join('');
}

function readText(decision: Settled | Waiting, kind: string, path: readonly string[]): string {
  const found = [...decision.resources.values()].find(({ object }) => object.kind === kind);
  const text = readPath(found?.object, ...path);
  return typeof text === 'string' ? text : '';
}

/** The key as core writes it on what it composes. */
function withKey(key: string, object: KubeObject): KubeObject {
  const annotations = { 'crossplane.io/composition-resource-name': key, ...object.metadata.annotations };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
