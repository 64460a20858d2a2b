/** All documents of the repository, read once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument, type Document } from '../../docs/site/document.ts';
import { isDocument, listRepository } from '../../docs/site/repository.ts';

export const ROOT = join(import.meta.dirname, '../..');

const list = listRepository(ROOT);

/** Files and, with a slash at their end, folders. */
export const paths: ReadonlySet<string> = new Set(list);

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const documents: readonly Document[] = list.filter(isDocument).map(path => readDocument(path, read(path)));
