/** The page and doctor's rows are one text, and no link of it leads nowhere. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURE_MODES_PATH, replaceRows } from '../../scripts/generate-failure-modes.ts';
import type { Row } from '../../src/doctor/row.ts';
import { ROWS } from '../../src/doctor/rows.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('docs/failure-modes.md', () => {
  const page = read(FAILURE_MODES_PATH);

  it('has every row of doctor as the command knows it', () => {
    expect(replaceRows(page, ROWS)).toBe(page);
    for (const { id } of ROWS) expect(page).toContain(`\n### ${id}\n`);
  });

  it('differs where a row does', () => {
    const [first, ...others] = ROWS;
    const changed = [{ ...first, symptom: 'Another symptom' } as Row, ...others];
    expect(replaceRows(page, changed)).not.toBe(page);
  });

  it('marks what destroys, and only as the last of its row', () => {
    for (const row of page.split('\n### ').slice(1)) {
      const steps =
        row
          .split('\n## ')[0]
          ?.split(/^\d+\. /m)
          .slice(1) ?? [];
      const destroying = steps.map(step => step.startsWith('**Destroys buckets.**'));
      expect(destroying.slice(0, -1)).not.toContain(true);
    }
    expect(page).toContain('**Destroys buckets.** Only where the backups are not wanted any more');
  });
});

describe.each([FAILURE_MODES_PATH, 'docs/doctor.md'])('links of %s', path => {
  const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '');

  it('lead to what is there', () => {
    expect(links.length).toBeGreaterThan(0);
    for (const target of links.filter(target => !/^https?:/.test(target))) {
      const [file = '', anchor] = target.split('#');
      const page = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(ROOT, page)), target).toBe(true);
      if (anchor !== undefined) expect(headingsOf(read(page)), target).toContain(anchor);
    }
  });
});

/** Anchors as GitHub makes them. */
function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(match =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
