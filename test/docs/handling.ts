/**
 * What becomes of the commands in a fenced block. Its info string says it, behind the language, where GitHub shows nothing:
 *   sh                   run, in a clean copy of the tree; lines that are steps of .ci/run are left to it
 *   sh needs=tools       run where the pinned tools are built; with CI set they have to be
 *   sh background        run until the commands of the document are done, for a server
 *   sh needs=cluster     not run: needs a cluster. Others in NEEDS
 *   sh test=PATH         run by that test, which names the document
 */
import type { Document, Fence } from '../../docs/site/document.ts';
import { read, paths } from './documents.ts';
import { readCommands, withoutComment } from './shell-words.ts';

export const SHELLS: ReadonlySet<string> = new Set(['bash', 'console', 'sh', 'shell', 'shell-session', 'zsh']);

/**
 * Documents whose commands are handled. Those beside tests and tools (test/, tools/, data/) speak to who changes these, and
 * start clusters and services: their blocks are parsed and their names looked up like all others, but none is run.
 */
export function isHandled({ path }: Pick<Document, 'path'>): boolean {
  return !/^(?:data|test|tools)\//.test(path);
}

/** Programs that have what is needed on their other end. A mark on a block without any of them would hide a command. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  accounts: ['aws', 'b2', 'cosign', 'crane', 'hcloud', 'sops', 'tofu', 'tofu.sh', 'tofuworkspace'],
  cluster: ['flux', 'helm', 'kubectl', 'tofuworkspace'],
  hardware: ['ansible', 'ansible-playbook', 'lspci', 'ssh', 'talosctl', 'task', 'topf'],
  registries: ['python.sh', 'tools.sh', 'uv'],
};

export type Handling =
  | { readonly kind: 'run'; readonly script: string; readonly tools: boolean; readonly background: boolean }
  | { readonly kind: 'ci' }
  | { readonly kind: 'test'; readonly test: string }
  | { readonly kind: 'needs'; readonly needs: readonly string[] };

/** @throws Error where a mark is unknown or says what is not so */
export function handlingOf(fence: Fence, document: Pick<Document, 'path'>): Handling {
  const { needs, test, background, ...rest } = Object.fromEntries(fence.marks);
  for (const mark of Object.keys(rest)) throw new Error(`unknown mark ${mark}`);
  if (test !== undefined && fence.marks.size > 1) throw new Error('test= stands alone: that test has what it needs');
  if (test !== undefined) return heldByTest(test, document.path);
  if (needs !== undefined && needs !== 'tools') return marked(needs.split(','), fence);
  return run(fence, needs === 'tools', background !== undefined);
}

function heldByTest(test: string, document: string): Handling {
  if (!paths.has(test)) throw new Error(`test=${test} is not there`);
  if (!read(test).includes(document)) throw new Error(`${test} does not name ${document}`);
  return { kind: 'test', test };
}

function marked(needs: readonly string[], fence: Fence): Handling {
  const programs = programsOf(fence);
  for (const need of needs) {
    const known = NEEDS[need];
    if (known === undefined)
      throw new Error(`unknown need ${need}: expected tools or one of ${Object.keys(NEEDS).join(', ')}`);
    if (!known.some(program => programs.has(program))) throw new Error(`nothing in it needs ${need}`);
  }
  return { kind: 'needs', needs };
}

/** The needs that a block with these commands must be marked with; none where it can be run. */
export function needsOf(content: string): readonly string[] {
  const programs = programsOf({ content });
  const needs = Object.keys(NEEDS).filter(need =>
    NEEDS[need]?.some(program => program !== 'tofuworkspace' && programs.has(program)),
  );
  return needs.length === 0 && programs.has('tofuworkspace') ? ['accounts'] : needs;
}

function programsOf({ content }: Pick<Fence, 'content'>): ReadonlySet<string> {
  const called = [
    ...readCommands(content).map(([program = '']) => program),
    ...[...content.matchAll(/\$\(([^()\s]+)/g)].map(([, program = '']) => program),
  ];
  return new Set(called.map(program => program.split(/[/"']/).at(-1) ?? ''));
}

/** Never what could reach somebody's cluster or account because a mark was forgotten. */
function run(fence: Fence, tools: boolean, background: boolean): Handling {
  for (const program of programsOf(fence))
    for (const [need, known] of Object.entries(NEEDS))
      if (known.includes(program) && program !== 'tofuworkspace') throw new Error(`${program} needs ${need}: mark it`);
  const left = fence.content.split('\n').filter(line => !CI_STEPS.has(withoutComment(line)));
  const script = left.join('\n');
  return script.trim() === '' ? { kind: 'ci' } : { kind: 'run', script, tools, background };
}

const LAYERS = /^LAYERS \?= (.+)$/m.exec(read('Makefile'))?.[1]?.split(' ');
if (LAYERS === undefined) throw new Error('Makefile: no line that says the LAYERS of make infra-check');

const COMMANDS = [...read('.ci/run').matchAll(/^step (.+)$/gm)].flatMap(([, step = '']) =>
  step.startsWith('side_by_side ')
    ? [...step.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
    : [step],
);

const CHECKED_LAYERS = COMMANDS.flatMap(command =>
  command === 'make infra-ansible-check'
    ? ['ansible']
    : (/^make infra-check LAYERS='(.+)'$/.exec(command)?.[1]?.split(' ') ?? []),
);

/** What CI runs, as it stands there; also the script of each layer of infra/, and all of them where none is left out. */
export const CI_STEPS: ReadonlySet<string> = new Set([
  ...COMMANDS,
  ...CHECKED_LAYERS.map(layer => `infra/${layer}/check.sh`),
  ...(LAYERS.every(layer => CHECKED_LAYERS.includes(layer)) ? ['make infra-check'] : []),
]);
