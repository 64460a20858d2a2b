import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Body, BodyItem, Expression } from './ast.ts';
import * as hcl from './build.ts';
import { isHclError } from './hcl-error.ts';
import { print } from './print.ts';
import { type ScannedBody, scanStructure } from './scan.ts';
import { anyBody } from '../../test/fixtures/hcl.ts';

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}

const numbers = hcl.reference<ReadonlyMap<string, number>>('local', 'numbers');

describe('print', () => {
  const cases: readonly { name: string; reason: string; items: readonly BodyItem[]; expected: string }[] = [
    { name: 'Nothing', reason: 'an empty file is empty text', items: [], expected: '' },
    {
      name: 'Alignment',
      reason: '`=` is aligned within a run of one-line attributes; a value that spans lines is not part of it',
      items: [
        hcl.attr('a', hcl.number(1)),
        hcl.attr('bcd', hcl.bool(true)),
        hcl.attr('longest_name', hcl.map([['k', hcl.string('v')]])),
        hcl.attr('e', hcl.nothing()),
        hcl.attr('fg', hcl.map([])),
      ],
      expected: lines('a   = 1', 'bcd = true', 'longest_name = {', '  "k" = "v"', '}', 'e  = null', 'fg = {}'),
    },
    {
      name: 'Blocks',
      reason: 'blank lines set blocks apart, also from attributes; an empty block stays on one line',
      items: [
        hcl.attr('a', hcl.number(-1)),
        hcl.block('b', [], [hcl.attr('long', hcl.number(0)), hcl.block('c', ['x-y'], [])]),
        hcl.attr('d', hcl.number(2)),
      ],
      expected: lines('a = -1', '', 'b {', '  long = 0', '', '  c "x-y" {}', '}', '', 'd = 2'),
    },
    {
      name: 'Comments',
      reason: 'a comment stays with what it is about, unless it stands alone',
      items: [
        hcl.loneComment('file'),
        hcl.comment('one\n\ntwo'),
        hcl.attr('a', hcl.number(1)),
        hcl.comment('three'),
        hcl.block('b', [], []),
        hcl.commented([hcl.attr('x', hcl.string('\n')), hcl.block('c', [], [])]),
      ],
      expected: lines(
        '# file',
        '',
        '# one',
        '#',
        '# two',
        'a = 1',
        '',
        '# three',
        'b {}',
        '',
        '# x = "\\n"',
        '#',
        '# c {}',
      ),
    },
    {
      name: 'Lists',
      reason: 'a list has one line per item only where asked for, and never inside something inline',
      items: [
        hcl.attr('a', hcl.strings(['x', 'y'])),
        hcl.attr('b', hcl.strings(['x', 'y'], 'lines')),
        hcl.attr('c', hcl.object({ x: hcl.strings(['y'], 'lines'), for: hcl.number(1) })),
        hcl.attr('d', hcl.strings([], 'lines')),
      ],
      expected: lines('a = ["x", "y"]', 'b = [', '  "x",', '  "y",', ']', 'c = { x = ["y"], "for" = 1 }', 'd = []'),
    },
    {
      name: 'References',
      reason: 'each step is spelled by its kind; an index is data and is quoted',
      items: [
        hcl.attr('a', hcl.attribute(hcl.index(hcl.reference<ReadonlyMap<string, { id: string }>>('x'), '${'), 'id')),
        hcl.attr('b', hcl.index(numbers, hcl.reference<string>('each', 'key'))),
        hcl.attr('c', hcl.referenceFromSteps('x', [{ kind: 'index', key: 0 }])),
        hcl.attr('d', hcl.toset(hcl.strings(['x'], 'lines'))),
      ],
      expected: lines('a = x["$${"].id', 'b = local.numbers[each.key]', 'c = x[0]', 'd = toset(["x"])'),
    },
    {
      name: 'For',
      reason: 'for expressions stay on one line',
      items: [
        hcl.attr(
          'a',
          hcl.forEntries(['k', 'v'], numbers, (key, value) => ({ key, value })),
        ),
        hcl.attr(
          'b',
          hcl.forValues('v', numbers, value => ({ key: hcl.string('x'), value })),
        ),
        hcl.attr(
          'c',
          hcl.forItems('v', numbers, value => value),
        ),
      ],
      expected: lines(
        'a = { for k, v in local.numbers : k => v }',
        'b = { for v in local.numbers : "x" => v }',
        'c = [for v in local.numbers : v]',
      ),
    },
  ];
  it.each(cases)('$name: $reason', ({ items, expected }) => {
    expect(print(hcl.body(items))).toBe(expected);
  });
});

describe('print refuses', () => {
  const one = hcl.number(1);
  const cases: readonly { name: string; reason: string; item: BodyItem; path: string }[] = [
    {
      name: 'LoneSurrogate',
      reason: 'the path leads to the entry, so that its source can be found',
      item: hcl.block('locals', [], [hcl.attr('buckets', hcl.map([['x', hcl.string('\ud800')]]))]),
      path: 'locals.buckets["x"]',
    },
    {
      name: 'KeyNotNormal',
      reason: 'keys are strings as well',
      item: hcl.attr('a', hcl.map([['u\u0308', one]])),
      path: 'a["u\u0308"]',
    },
    {
      name: 'KeyTwice',
      reason: 'HCL would refuse the whole file',
      item: hcl.attr('a', hcl.map([['x', one], ['x', one]])), // prettier-ignore
      path: 'a["x"]',
    },
    {
      name: 'AttributeTwice',
      reason: 'HCL would refuse the whole file',
      item: hcl.block('b', ['l'], [hcl.attr('a', one), hcl.attr('a', one)]),
      path: 'b.l.a',
    },
    { name: 'Name', reason: 'a name is never escaped', item: hcl.attr('a b', one), path: 'a b' },
    { name: 'Block', reason: 'a name is never escaped', item: hcl.block('b {', [], []), path: '["b {"]' },
    { name: 'Label', reason: '`tofu fmt` would drop it', item: hcl.block('b', ['a$'], []), path: 'b["a$"]' },
    { name: 'Root', reason: 'a literal is no name', item: hcl.attr('a', hcl.reference('true')), path: 'a' },
    { name: 'Step', reason: 'text cannot slip in', item: hcl.attr('a', hcl.reference('x', 'y[0]')), path: 'a' },
    { name: 'Fraction', reason: 'integers only', item: hcl.attr('a', hcl.number(0.5)), path: 'a' },
    { name: 'Huge', reason: 'beyond it integers are rounded', item: hcl.attr('a', hcl.number(2 ** 53)), path: 'a' },
    { name: 'NaN', reason: 'no number', item: hcl.attr('a', hcl.list([hcl.number(Number.NaN)])), path: 'a[0]' },
    {
      name: 'Variable',
      reason: 'a loop variable is a name',
      item: hcl.attr(
        'a',
        hcl.forItems('for', numbers, value => value),
      ),
      path: 'a',
    },
  ];
  it.each(cases)('$name: $reason', ({ item, path }) => {
    let caught: unknown;
    try {
      print(hcl.body([item]));
    } catch (error) {
      caught = error;
    }
    expect(isHclError(caught) && caught.path).toBe(path);
  });
});

/** What the scanner must find in a printed body. */
function outline(of: Body): unknown {
  return {
    attributes: of.items.flatMap(item => (item.kind === 'attribute' ? [[item.name, literal(item.value)]] : [])),
    blocks: of.items.flatMap(item => (item.kind === 'block' ? [[item.type, item.labels, outline(item.body)]] : [])),
  };
}

function literal(value: Expression): unknown {
  if (value.kind === 'string') return value.value;
  if (value.kind !== 'object') return undefined;
  return new Map(
    value.entries.map(entry => [entry.key, entry.value.kind === 'string' ? entry.value.value : undefined]),
  );
}

function scannedOutline(of: ScannedBody): unknown {
  return {
    attributes: [...of.attributes],
    blocks: of.blocks.map(block => [block.type, block.labels, scannedOutline(block)]),
  };
}

describe('print and scan', () => {
  it('agree on every body', () => {
    fc.assert(
      fc.property(anyBody, value => {
        const printed = print(value);
        expect(printed).toMatch(/^(?:[ -~]*[!-~]\n|\n)*$/);
        expect(printed).not.toMatch(/\n\n$|\n\n\n|^\n/);
        const scan = scanStructure(printed);
        expect(scan.complete).toBe(true);
        expect(scannedOutline(scan)).toEqual(outline(value));
      }),
    );
  });
});
