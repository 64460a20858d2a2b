/**
 * The diagram of the pipeline as Mermaid, from the Taskfile.
 *   graph.ts            prints it
 *   graph.ts --write    puts it into README.md, between its marks
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isBox, readPhases, readTasks, taskOf, type Task, type Tasks } from './pipeline.ts';

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** `then` within a phase and where a phase joins; `triggers` where one phase ends and the next begins; else the words on it. */
  readonly label: string;
}

/** What a task begins and ends with. */
interface Span {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

const AWS = 'aws_sm';

export function deriveEdges(tasks: Tasks): readonly Edge[] {
  const edges: Edge[] = [];
  const join = (from: readonly string[], to: readonly string[], label: string): void => {
    for (const start of from) for (const end of to) edges.push({ from: start, to: end, label });
  };

  const walk = (name: string): Span => {
    const task = taskOf(tasks, name);
    const label = task.vars['AWS'];
    if (isBox(name) && label !== undefined) edges.push({ from: name, to: AWS, label });
    const chained = isBox(name) && subtasks(tasks, task).length > 0 ? [] : subtasks(tasks, task);
    const forks = parallel(tasks, task).map(walk);
    const steps = chained.map(walk);
    const own: Span[] = isBox(name) ? [{ first: [name], last: [name] }] : [];
    for (const fork of forks) join([name], fork.first, 'then');
    const ends = forks.flatMap(fork => fork.last);
    const parts = ends.length > 0 ? [{ first: [name], last: ends }] : [...own, ...steps];
    parts.slice(1).forEach((part, index) => {
      join(parts[index]?.last ?? [], part.first, 'then');
    });
    return { first: parts[0]?.first ?? [], last: parts.at(-1)?.last ?? [] };
  };

  let before: Span | undefined;
  for (const { name } of readPhases(tasks)) {
    const span = walk(name);
    if (before !== undefined) join(before.last, span.first, 'triggers');
    before = span;
  }
  return edges;
}

/** Boxes, or chains of boxes, that run one after the other. */
function subtasks(tasks: Tasks, task: Task): readonly string[] {
  return task.cmds.flatMap(each => (typeof each === 'object' && leadsToBox(tasks, each.task) ? [each.task] : []));
}

function parallel(tasks: Tasks, task: Task): readonly string[] {
  return task.deps.filter(name => leadsToBox(tasks, name));
}

function leadsToBox(tasks: Tasks, name: string): boolean {
  return isBox(name) || subtasks(tasks, taskOf(tasks, name)).length > 0;
}

export function printGraph(tasks: Tasks): string {
  const lines = ['graph TD', '    subgraph aws_cloud [AWS Cloud / Single Source of Truth]'];
  lines.push(`        ${AWS}[(${taskOf(tasks, AWS).desc ?? AWS})]`, '    end', '');
  const edges = deriveEdges(tasks);
  for (const phase of readPhases(tasks)) {
    const number = phase.name.replace('phase', '');
    lines.push(`    subgraph ${phase.name} ["Phase ${number}: ${phase.title}"]`);
    for (const name of Object.keys(tasks).filter(each => each.startsWith(`p${number}_`))) {
      const label = taskOf(tasks, name).desc ?? name;
      const fork = edges.filter(edge => edge.from === name && edge.label === 'then').length > 1;
      lines.push(fork ? `        ${name}{"${label}"}` : `        ${name}["${label}"]`);
    }
    lines.push('    end', '');
  }
  return [...lines, ...edges.map(printEdge), ''].join('\n');
}

function printEdge({ from, to, label }: Edge): string {
  if (label === 'then') return `    ${from} --> ${to}`;
  if (label === 'triggers') return `    ${from} ==>|Triggers| ${to}`;
  return `    ${from} -.->|${label}| ${to}`;
}

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const MARKS = /(<!-- graph: task graph -->\n\n```mermaid\n)[^`]*(```)/;

/** The README with the graph between its marks. */
export function placeGraph(readme: string, graph: string): string {
  if (!MARKS.test(readme)) throw new Error('README.md has no marks for the graph');
  return readme.replace(MARKS, (_, before: string, after: string) => `${before}${graph}${after}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const graph = printGraph(readTasks());
  if (process.argv[2] === '--write') writeFileSync(README, placeGraph(readFileSync(README, 'utf8'), graph));
  else process.stdout.write(graph);
}
