/**
 * Extra text, read by the reader that OpenTofu is built with: what we let pass has the blocks that we saw, and what
 * flows in from a namespace evaluates to exactly itself.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFieldError } from '../../src/errors.ts';
import { EMPTY, type ExtraData } from '../../src/extra-module/data.ts';
import { printExtraTexts } from '../../src/extra-module/print-texts.ts';
import { findUnquotable } from '../../src/hcl/quote.ts';
import { scanStructure, type ScannedBlock } from '../../src/hcl/scan.ts';
import { allTexts, DANGEROUS } from '../fixtures/hcl.ts';
import { dumpTexts, type DumpedItem } from './hcl-dump.ts';
import { findTool, skipWithout, type Tool } from './tools.ts';

const PROVIDERS = { dns: true, extra: ['random'] };

/** undefined where it is refused. */
function render(template: string, data: ExtraData = EMPTY): string | undefined {
  try {
    return printExtraTexts([{ name: 'one', template }], PROVIDERS, data)[0]?.text ?? '';
  } catch (error) {
    if (isFieldError(error)) return undefined;
    throw error;
  }
}

interface Outline {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: readonly string[];
  readonly blocks: readonly Outline[];
}

function outlineOf(block: ScannedBlock): Outline {
  const { type, labels, attributes, blocks } = block;
  return { type, labels, attributes: [...attributes.keys()], blocks: blocks.map(outlineOf) };
}

function outlines(items: readonly DumpedItem[]): readonly Outline[] {
  return items.flatMap(item =>
    item.kind === 'attribute'
      ? []
      : [
          {
            type: item.type,
            labels: item.labels,
            attributes: item.items.flatMap(inner => (inner.kind === 'attribute' ? [inner.name] : [])),
            blocks: outlines(item.items),
          },
        ],
  );
}

const SEEDS = [
  'resource "random_pet" "extra_a" {\n  prefix = "${upper("a}")}$${b}"\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n',
  'locals {\n  extra_a = [1, { b = "}" }, "\\"{"] # { "\n  extra_b = "%{ if true }x%{ endif }" // }\n}\n',
  'output "extra_o" { value = "a" }\n/* resource "b2_bucket" "x" { */\ndata "netbird_group" "extra_d" { name = "x" }\n',
];
const TOKENS = [
  ...[
    '"',
    '\\"',
    '\\',
    '\\\\',
    '${',
    '$${',
    '$',
    '%{',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '\n',
    ' ',
    '=',
    ',',
    '.',
    '<',
    '<<',
    '~',
  ],
  ...[
    '#',
    '//',
    '/*',
    '*/',
    '/',
    '*',
    'a',
    'EOT',
    '\t',
    'resource "b2_bucket" "x" {}\n',
    'resource',
    'removed {}\n',
    '"extra_a"',
  ],
  ...['extra_z = 1\n', 'b2_bucket', ' { ', ' }\n', '\\u007b', '!', '?', ':', '-', '1', 'for', '"${"', '"}"'],
];

/** A good text in which pieces were put in and left out. */
const mutated = fc
  .tuple(
    fc.subarray(SEEDS, { minLength: 1 }),
    fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.constantFrom(...TOKENS)), { minLength: 1, maxLength: 4 }),
  )
  .map(([seeds, changes]) =>
    changes.reduce((text, [at, length, token]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + token + text.slice(start + length);
    }, seeds.join('')),
  );

describe.skipIf(skipWithout('hcl-dump'))('extra text', () => {
  it('that we let pass has exactly the blocks that we saw, or OpenTofu refuses all of it', () => {
    const passed = fc
      .sample(mutated, { numRuns: 20_000, seed: 3 })
      .flatMap(template => render(template.replaceAll('{{', '{ {')) ?? [])
      .filter(text => text !== '');
    const dumped = dumpTexts(passed);
    let read = 0;
    for (const [index, text] of passed.entries()) {
      const items = dumped[index]?.items;
      if (items === undefined) continue;
      read += 1;
      expect(outlines(items), text).toEqual(scanStructure(text).blocks.map(outlineOf));
    }
    // Were all refused, by us or by the reader, this would prove nothing.
    expect(passed.length).toBeGreaterThan(1_500);
    expect(read).toBeGreaterThan(1_000);
  });
});

const ROUND = `output "extra_values" {
  value = [{{#each schedules}}
    "{{name}}", "x\\u0024{{name}}{y}", "{{name}}{{name}}", "\${"{{name}}"}", {{string name}},{{/each}}
  ]
}

output "extra_list" {
  value = {{list schedules "name"}}
}

output "extra_map" {
  value = {{map schedules "name" "bucket"}}
}
`;

describe.skipIf(skipWithout('opentofu', 'opentofu-1.10')).each<Tool>(['opentofu', 'opentofu-1.10'])('%s', tofu => {
  it('reads what flows into extra text as itself, whatever stands beside it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'extra-'));
    const run = (...args: readonly string[]): string => {
      const env = { PATH: process.env.PATH, HOME: folder, TF_CLI_CONFIG_FILE: '/dev/null' };
      const { status, stdout, stderr } = spawnSync(findTool(tofu), args, { cwd: folder, encoding: 'utf8', env, maxBuffer: 2 ** 28 }); // prettier-ignore
      if (status !== 0) throw new Error(stdout + stderr);
      return stdout;
    };
    // A combining character would join what stands before it, as it does in any text.
    const names = [...new Set([...allTexts(DANGEROUS, 3), '#', '//', '/* */', '<<EOT\n', '~', '__proto__'])].filter(
      text => findUnquotable(`x${text}{y}${text}${text}`) === undefined && !text.startsWith('\u0301'),
    );
    expect(names.length).toBeGreaterThan(1_000);
    try {
      const schedules = names.map(name => ({ name, bucket: `bucket of ${name}` }));
      writeFileSync(join(folder, 'main.tf'), render(ROUND, { ...EMPTY, schedules }) ?? '');
      run('apply', '-auto-approve', '-no-color');
      const read = (output: string): unknown => JSON.parse(run('output', '-json', output));
      expect(read('extra_values')).toEqual(names.flatMap(name => [name, `x$${name}{y}`, name + name, name, name]));
      expect(read('extra_list')).toEqual(names);
      expect(read('extra_map')).toEqual(Object.fromEntries(names.map(name => [name, `bucket of ${name}`])));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
