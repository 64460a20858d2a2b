/** The files on both sides of the seams, read from the repository, and broken copies of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { SourceFile } from '../../../src/infra/finding.ts';

const ROOT = join(import.meta.dirname, '../../..');

export function readSource(file: string): SourceFile {
  return { file, text: readFileSync(join(ROOT, file), 'utf8') };
}

/** All files of a name below a folder. */
export function findSources(folder: string, name: string): SourceFile[] {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith(name) && !file.includes('.terraform'))
    .sort()
    .map(file => readSource(relative(ROOT, join(path, file))));
}

/** The same file with a fault planted. */
export function plant({ file, text }: SourceFile, from: string | RegExp, to: string): SourceFile {
  const broken = text.replace(from, to);
  expect(broken, `nothing to break in ${file}`).not.toBe(text);
  return { file, text: broken };
}

/** The pipeline step's Input as it is shipped. */
export function readShippedInput(): unknown {
  const composition = parse(readSource('apis/tofuworkspace/composition.yaml').text) as {
    spec: { pipeline: { input: unknown }[] };
  };
  return composition.spec.pipeline[0]?.input;
}
