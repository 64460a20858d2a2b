/** What the documents quote is what the files say. */
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../docs/site/document.ts';
import { documents, read } from './documents.ts';
import { findStaleExcerpts } from './excerpt.ts';

const FILE = 'spec:\n  backend:\n    s3:\n      bucket: one\n      region: two\n  backup:\n    schedule: daily\n';

const check = (excerpt: string): readonly string[] =>
  findStaleExcerpts(readDocument('a.md', `\`\`\`yaml file=x.yaml\n${excerpt}\n\`\`\`\n`), () => FILE);

describe('excerpts', () => {
  it('of all documents are what the files say', () => {
    const quoting = documents.filter(({ fences }) => fences.some(({ marks }) => marks.has('file')));
    expect(quoting.map(({ path }) => path)).toContain('docs/topics/backblaze-b2-backup.md');
    expect(quoting.flatMap(document => findStaleExcerpts(document, read))).toEqual([]);
  });

  it.each([
    ['lines as they stand', '    s3:\n      bucket: one'],
    ['lines without their indentation', 's3:\n  bucket: one'],
    ['two parts', 'backend:\n  s3:\n# …\nbackup:'],
  ])('%s hold', (_, excerpt) => {
    expect(check(excerpt)).toEqual([]);
  });

  it.each([
    ['another value', 's3:\n  bucket: two'],
    ['a line that is left out without a mark', 's3:\n  region: two'],
    ['half a line', 'bucket: on'],
    ['another nesting', 's3:\nbucket: one'],
    ['parts in another order', 'backup:\n# …\nbackend:'],
  ])('%s is found', (_, excerpt) => {
    expect(check(excerpt)).toEqual([expect.stringContaining('a.md:1: x.yaml does not say')]);
  });

  it('that quote nothing are refused', () => {
    expect(() => check('# …')).toThrow('quotes nothing');
  });
});
