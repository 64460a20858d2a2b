#!/usr/bin/env node
/** The command line's process: finds the command, and turns its answer into an exit code. */
import type { Command } from './cli/command.ts';
import { UsageError } from './cli/usage-error.ts';

interface Entry {
  readonly summary: string;
  /** Loaded when it is called: no command waits for the packages of another. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: ReadonlyMap<string, Entry> = new Map(
  Object.entries({
    render: {
      summary: 'print what is composed, as YAML',
      load: async () => (await import('./cli/render.ts')).render,
    },
    explain: {
      summary: 'print which Schedule or route led to what, and what was ignored and why',
      load: async () => (await import('./cli/explain.ts')).explain,
    },
    teardown: {
      summary: 'say how a namespace is unwound, and what stands against it',
      load: async () => (await import('./cli/teardown.ts')).teardown,
    },
    'import-blocks': {
      summary: 'print the adoptBuckets entries for buckets that exist at Backblaze',
      load: async () => (await import('./cli/import-blocks.ts')).importBlocks,
    },
    doctor: {
      summary: 'say what is wrong between the layers, from files and the live cluster, and what to do',
      load: async () => (await import('./cli/doctor.ts')).doctor,
    },
    drift: {
      summary: 'look for what differs from what is declared, layer by layer; changes nothing',
      load: async () => (await import('./cli/drift.ts')).drift,
    },
  }),
);

const HELP = `Usage: tofuworkspace <command> [arguments] [flags]

Commands:
${[...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(15)} ${summary}\n`).join('')}
  -h, --help      print this, or the usage of a command: tofuworkspace <command> --help

Data goes to stdout, talk to stderr.
Exit codes: 0 decided, 1 refused or something found, 2 wrong usage or unreadable files.
`;

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

async function main(argv: readonly string[]): Promise<number> {
  const [name, args] = findCommand(argv);
  if (name === undefined) {
    if (!argv.some(isHelp)) throw new UsageError('name a command');
    process.stdout.write(HELP);
    return 0;
  }
  const entry = COMMANDS.get(name);
  if (entry === undefined) throw new UsageError(`unknown command ${JSON.stringify(name)}`);
  const command = await entry.load();
  if (!args.some(isHelp)) return command.run(args);
  process.stdout.write(`Usage: tofuworkspace ${name} ${command.usage}`);
  return 0;
}

/** The command stands first; behind flags it is found by its name. */
function findCommand(argv: readonly string[]): readonly [name: string | undefined, args: readonly string[]] {
  const [first] = argv;
  const at = first?.startsWith('-') === true ? argv.findIndex(arg => COMMANDS.has(arg)) : 0;
  return at === -1 ? [undefined, argv] : [argv[at], argv.toSpliced(at, 1)];
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`tofuworkspace: ${error.message}\nTry "tofuworkspace --help".\n`);
  process.exitCode = 2;
}
