/** docs/proof.md names tests that exist, and every entry that is tested here has its row. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PROOF = readFileSync(join(ROOT, 'docs/proof.md'), 'utf8');
const rows = PROOF.split('\n').filter(
  line => line.startsWith('| ') && !line.startsWith('| no.') && !line.startsWith('| ---'),
);

interface Claim {
  readonly path: string;
  readonly title: string | undefined;
}

/** Each path in the last cell, with every quoted title that follows it. */
function claimsOf(row: string): readonly Claim[] {
  const cell = row.split(' | ').at(-1) ?? '';
  let path = '';
  return [...cell.matchAll(/`([^`]+\/[^`]*)`|"([^"]+)"/g)].map(([, found, title]) => {
    if (found !== undefined) path = found;
    return { path, title };
  });
}

/** The text of a test file without comments and without what does not run: a todo proves nothing. */
function readTitles(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .filter(line => !/^\s*(\/\/|\*)|\.(todo|skip)\(/.test(line))
    .join('\n');
}

describe('the table of proofs', () => {
  const claims = rows.flatMap(claimsOf);

  it('names tests at all', () => {
    expect(claims.length).toBeGreaterThan(100);
  });

  it('names files that exist', () => {
    expect(claims.map(({ path }) => path).filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names titles that stand in those files', () => {
    const missing = claims.filter(({ path, title }) => title !== undefined && !readTitles(path).includes(title));
    expect(missing).toEqual([]);
  });

  it('has a row, under its own heading, for every entry that a test here bears in its title', () => {
    const numbered = PROOF.split(/^## /m).flatMap(section =>
      [...section.matchAll(/^\| (H?\d+) /gm)].map(([, number = '']) => `${section.split('\n')[0] ?? ''} ${number}`),
    );
    const titled = readdirSync(import.meta.dirname).flatMap(file => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      return text
        .split('\n')
        .filter(line => /^describe\(/.test(line))
        .flatMap(line => [...line.matchAll(/(field report|source hazard|hazard) (H?\d+)/g)])
        .map(([, kind = '', number = '']) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s ${number}`);
    });
    expect(titled.length).toBeGreaterThan(40);
    expect([...new Set(titled)].filter(entry => !numbered.includes(entry))).toEqual([]);
  });
});
