/** What the Taskfile says, read once for the graph and the status table. The conventions are at the head of the Taskfile. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

// Only what is looked at here; go-task itself checks the rest.
const command = z.union([z.string(), z.object({ task: z.string() })]);
const task = z.object({
  desc: z.string().optional(),
  deps: z.array(z.string()).default([]),
  cmds: z.array(command).default([]),
  vars: z.record(z.string(), z.string()).default({}),
  preconditions: z.array(z.object({ sh: z.string(), msg: z.string() })).default([]),
});
const taskfile = z.object({ tasks: z.record(z.string(), task) });

export type Task = z.infer<typeof task>;
export type Tasks = Readonly<Record<string, Task>>;

export const TASKFILE = fileURLToPath(new URL('../Taskfile.yml', import.meta.url));

export function readTasks(file: string = TASKFILE): Tasks {
  return taskfile.parse(parse(readFileSync(file, 'utf8'))).tasks;
}

export interface Check {
  readonly name: string;
  readonly message: string;
}

export interface Phase {
  readonly name: string;
  readonly title: string;
  /** What must hold when it is done. */
  readonly checks: readonly Check[];
}

export function readPhases(tasks: Tasks): readonly Phase[] {
  return Object.keys(tasks)
    .filter(name => /^phase\d$/.test(name))
    .sort()
    .map(name => ({
      name,
      title: taskOf(tasks, name).desc ?? name,
      checks: taskOf(tasks, `after-${name}`).preconditions.map(({ sh, msg }) => ({
        name: sh.replace(/^.*\//, ''),
        message: msg,
      })),
    }));
}

export function taskOf(tasks: Tasks, name: string): Task {
  const found = tasks[name];
  if (found === undefined) throw new Error(`the Taskfile has no task ${name}`);
  return found;
}

/** A box of the diagram. */
export function isBox(name: string): boolean {
  return /^p\d_/.test(name);
}
