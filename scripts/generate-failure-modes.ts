/** Writes doctor's rows into docs/failure-modes.md, between two marks, so that the page and the command agree. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fix, Row } from '../src/doctor/row.ts';
import { ROWS } from '../src/doctor/rows.ts';
import { needsOf } from '../test/docs/handling.ts';

const ROOT = join(import.meta.dirname, '..');

export const FAILURE_MODES_PATH = 'docs/failure-modes.md';

const BEGIN =
  '<!-- doctor: written by scripts/generate-failure-modes.ts from src/doctor/rows; do not edit up to the end mark -->';
const END = '<!-- doctor: end -->';

export async function generateFailureModes(): Promise<void> {
  const path = join(ROOT, FAILURE_MODES_PATH);
  await writeFile(path, replaceRows(await readFile(path, 'utf8'), ROWS));
}

/** @throws Error where the page has lost a mark */
export function replaceRows(page: string, rows: readonly Row[]): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${FAILURE_MODES_PATH}: expected the lines ${BEGIN} and ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${printRows(rows)}\n${page.slice(to)}`;
}

function printRows(rows: readonly Row[]): string {
  const table = rows.map(
    ({ id, symptom, seam, happened, lookAt }) =>
      `| [${id}](#${id}) | ${[symptom, seam, happened, lookAt].map(text => link(text.replaceAll('|', '\\|'))).join(' | ')} |`,
  );
  return [
    '| row | symptom | seam | what happened | what to look at |',
    '| --- | --- | --- | --- | --- |',
    ...table,
    ...rows.flatMap(printFixes),
    '',
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}

function printFixes({ id, fixes }: Row): readonly string[] {
  return ['', `### ${id}`, '', ...fixes.flatMap(printFix)];
}

function printFix(fix: Fix, index: number): readonly string[] {
  const does = fix.destroys === true ? `**Destroys buckets.** ${fix.does}` : fix.does;
  const commands = fix.commands ?? [];
  const needs = needsOf(commands.join('\n'));
  const info = needs.length === 0 ? 'sh' : `sh needs=${needs.join(',')}`;
  const block =
    commands.length === 0 ? [] : ['', `   \`\`\`${info}`, ...commands.map(command => `   ${command}`), '   ```', ''];
  return [`${index + 1}. ${link(does)}`, ...block];
}

/** Pages of this repository that a text names become links. @throws Error where there is no such page */
function link(text: string): string {
  return text.replaceAll(/(?<![`\w/])(?:docs|infra)\/[\w/-]+\.md\b/g, path => {
    if (!existsSync(join(ROOT, path))) throw new Error(`a row of doctor names ${path}, which is not there`);
    const target = path.startsWith('docs/') ? path.slice('docs/'.length) : `../${path}`;
    return target === 'failure-modes.md' ? 'this page' : `[${target.replace('../', '')}](${target})`;
  });
}
