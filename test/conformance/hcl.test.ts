/** What print writes, read by the real parser and formatter. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Expression } from '../../src/hcl/ast.ts';
import { attr, block, body, forItems, reference, strings } from '../../src/hcl/build.ts';
import { print } from '../../src/hcl/print.ts';
import { findUnquotable } from '../../src/hcl/quote.ts';
import { allTexts, anyBody, DANGEROUS, EVERY_NODE } from '../fixtures/hcl.ts';
import { dumpBody, dumpTexts } from './hcl-dump.ts';
import { findTool, skipWithout, type Tool } from './tools.ts';

const BATCH = 30_000;

/** Functions that no module of ours calls. */
function call(name: string, argument: Expression): Expression {
  return { kind: 'call', name, args: [argument] } as unknown as Expression;
}

describe.skipIf(skipWithout('opentofu', 'opentofu-1.10')).each<Tool>(['opentofu', 'opentofu-1.10'])('%s', tofu => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hcl-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function run(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(findTool(tofu), args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TF_CLI_CONFIG_FILE: '/dev/null' },
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(stdout + stderr);
    return stdout;
  }

  function apply(value: Expression, texts: readonly string[]): void {
    const file = body([
      block('locals', [], [attr('texts', strings(texts, 'lines'))]),
      block('output', ['texts'], [attr('value', value)]),
    ]);
    writeFileSync(join(folder, 'main.tf'), print(file));
    run('apply', '-auto-approve', '-no-color');
  }

  it('reads every text up to length 5 over the dangerous alphabet as itself', () => {
    const texts = [...new Set(allTexts(DANGEROUS, 5))].filter(text => findUnquotable(text) === undefined);
    expect(texts.length).toBeGreaterThan(170_000);
    // Compared by checksum: as an output, so many texts take OpenTofu minutes and gigabytes.
    // Each in base64: JSON's "\n" before a combining character would become another character.
    const encoded = forItems('text', reference<readonly string[]>('local', 'texts'), text =>
      call('base64encode', text),
    );
    const checksum = call('sha256', call('jsonencode', encoded));
    for (let start = 0; start < texts.length; start += BATCH) {
      const batch = texts.slice(start, start + BATCH);
      apply(checksum, batch);
      const expected = createHash('sha256')
        .update(JSON.stringify(batch.map(text => Buffer.from(text).toString('base64'))))
        .digest('hex');
      expect(run('output', '-raw', 'texts')).toBe(expected);
    }
  });

  it('reads long texts as themselves', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 }).map(value => value.normalize('NFC'));
    const texts = fc.sample(text, { numRuns: 1_000, seed: 1 }).filter(value => findUnquotable(value) === undefined);
    expect(texts.length).toBeGreaterThan(500);
    apply(reference('local', 'texts'), texts);
    expect(JSON.parse(run('output', '-json', 'texts'))).toEqual(texts);
  });

  it('finds nothing to format in any node, nor in any body', () => {
    for (const file of readdirSync(folder).filter(name => name.endsWith('.tf'))) rmSync(join(folder, file));
    const bodies = fc.sample(anyBody, { numRuns: 1_000, seed: 1 });
    for (const [kind, items] of Object.entries(EVERY_NODE))
      writeFileSync(join(folder, `kind-${kind}.tf`), print(body(items)));
    for (const [index, one] of bodies.entries()) writeFileSync(join(folder, `body-${index}.tf`), print(one));
    expect(run('fmt', '-check', '-diff', '-no-color')).toBe('');
  });
});

describe.skipIf(skipWithout('hcl-dump'))('the reader that OpenTofu is built with', () => {
  const cases = Object.entries(EVERY_NODE).map(([kind, items]) => ({ kind, file: body(items) }));
  it.each(cases)('finds in a file with $kind what was printed', ({ file }) => {
    expect(dumpTexts([print(file)])).toEqual([{ items: dumpBody(file) }]);
  });

  it('finds in any body what was printed: same names, same values, same order', () => {
    const bodies = fc.sample(anyBody, { numRuns: 5_000, seed: 2 });
    const dumped = dumpTexts(bodies.map(print));
    expect(new Set(JSON.stringify(dumped).match(/"kind":"[a-z-]+"/g))).toEqual(
      new Set(
        [...Object.keys(EVERY_NODE), 'index']
          .filter(kind => !kind.startsWith('comment'))
          .map(kind => `"kind":"${kind}"`),
      ),
    );
    for (const [index, one] of bodies.entries()) expect(dumped[index]).toEqual({ items: dumpBody(one) });
  });
});
