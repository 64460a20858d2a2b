/** Names that commands in the documents use and that this repository defines: make's targets, the CLI's flags, files. */
import { spawnSync } from 'node:child_process';
import { posix } from 'node:path';
import { parse } from 'yaml';
import { paths, read, ROOT } from './documents.ts';
import { readCommands } from './shell-words.ts';

const FILE_KINDS = /\.(?:md|sh|tf|tpl|ts|yaml|yml)$/;
const WEB = /[a-z0-9+]+:\/\/\S+|\b(?:github\.com|registry\.example\.org)\/\S+/g;
const PATH = /(?<![\w./:@$}{*=-])(?:\.{1,2}\/)?[\w.-]+(?:\/[\w.-]+)+\/?(?![\w/*${])/g;

const makefile = read('Makefile');
const targets = new Set([...makefile.matchAll(/^([a-z0-9-]+):(?!=)/gm)].map(([, name = '']) => name));
const variables = new Set(
  [...makefile.matchAll(/\$\(([A-Z_]+)\)|^([A-Z_]+) \?=/gm)].map(match => match[1] ?? match[2] ?? ''),
);
const scripts = new Set(Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts));
const tasks = new Set(Object.keys((parse(read('infra/bootstrap/Taskfile.yml')) as { tasks: object }).tasks));
const topLevel = new Set(
  [...paths].filter(path => path.indexOf('/') === path.length - 1).map(path => path.slice(0, -1)),
);

const helps = new Map<string, string>();

/** What the CLI prints about itself, or about one of its commands; empty where it knows no such command. */
function help(...command: readonly string[]): string {
  const key = command.join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const { status, stdout } = spawnSync('node', ['dist/cli.js', ...command, '--help'], { cwd: ROOT, encoding: 'utf8' });
  helps.set(key, status === 0 ? stdout : '');
  return status === 0 ? stdout : '';
}

/** @returns what is not there, in words; empty where all is */
export function findUnknownNames(text: string, document: string): readonly string[] {
  const commands = readCommands(text);
  return [...commands.flatMap(findUnknownWords), ...findMissingFiles(text, document, commands)];
}

/** Of one command; also of one in the middle of a sentence. */
export function findUnknownWords([program = '', ...words]: readonly string[]): readonly string[] {
  if (program === 'make') return words.flatMap(unknownToMake);
  if (program === 'npm' && words[0] === 'run') return unknown('npm script', plain(words.slice(1)).slice(0, 1), scripts);
  if (program === 'task') return unknown('task', plain(words), tasks);
  if (program === 'tofuworkspace') return unknownToCli(words);
  if (program === 'node' && words[0] === 'dist/cli.js') return unknownToCli(words.slice(1));
  return [];
}

function unknownToMake(word: string): readonly string[] {
  const [, name = '', assigned] = /^([A-Za-z0-9_-]+)(=)?/.exec(word) ?? [];
  if (word.startsWith('-')) return [];
  return assigned === undefined
    ? unknown('make target', [name], targets)
    : unknown('variable of make', [name], variables);
}

function unknownToCli([command = '', ...words]: readonly string[]): readonly string[] {
  if (command.startsWith('-')) return unknownFlags([command, ...words], help());
  if (!new RegExp(`^ +(?:tofuworkspace )?${command}\\b`, 'm').test(help()))
    return [`tofuworkspace has no command ${command}`];
  return unknownFlags(words, help(command));
}

function unknownFlags(words: readonly string[], text: string): readonly string[] {
  const flags = words.filter(word => /^--?[a-z]/.test(word)).map(word => word.replace(/=.*/, ''));
  return unknown('flag of tofuworkspace', flags, new Set(['--help', ...(text.match(/--?[a-z][a-z0-9-]*/g) ?? [])]));
}

function unknown(what: string, names: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return names.filter(name => !known.has(name)).map(name => `there is no ${what} ${name}`);
}

function plain(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).filter(word => !word.startsWith('-'));
}

/** Names that begin with a folder of the repository, or end like its files, lie where the reader stands. */
function findMissingFiles(text: string, document: string, commands: readonly (readonly string[])[]): readonly string[] {
  const own = posix.dirname(document);
  const entered = commands.flatMap(([program, folder]) => (program === 'cd' && folder !== undefined ? [folder] : []));
  const standing = ['', own, ...entered, ...entered.map(folder => posix.join(own, folder))];
  const named = [...text.replace(WEB, '').matchAll(PATH)].map(([path]) => path.replace(/[.,]$/, ''));
  const ours = named.filter(path => topLevel.has(path.split('/')[0] ?? '') || FILE_KINDS.test(path));
  return ours
    .filter(path => !standing.some(folder => isThere(posix.join(folder, path))))
    .map(path => `there is no ${path}`);
}

function isThere(path: string): boolean {
  const plain = path.replace(/^\.\//, '').replace(/\/$/, '');
  return paths.has(plain) || paths.has(`${plain}/`) || plain.startsWith('dist/') || plain.startsWith('build/');
}
