import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commentLines, escapePart, findUnquotable, quote } from './quote.ts';
import { scanStructure } from './scan.ts';
import { allTexts, DANGEROUS } from '../../test/fixtures/hcl.ts';

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** All that may stand in a quoted string, by the words of the HCL specification: escapes, escaped openers, the rest. */
const PIECE = /\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([nrt"\\])|([$%])\4\{|(?![$%]\{)[^"\\\n\r]/y;

/** Reads a quoted string; knows nothing of quote.ts. */
function decode(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) throw new Error('not quoted');
  const inside = text.slice(1, -1);
  let out = '';
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < inside.length) {
    const piece = PIECE.exec(inside);
    if (piece === null) throw new Error(`no HCL string: ${text}`);
    out += meaning(piece);
  }
  return out;
}

function meaning([piece, short, long, simple, sign]: RegExpExecArray): string {
  const code = short ?? long;
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  if (simple !== undefined) return SIMPLE[simple] ?? '';
  return sign === undefined ? piece : `${sign}{`;
}

describe('quote', () => {
  const cases = [
    { name: 'Quote', text: 'a"b', expected: '"a\\"b"', reason: 'a bare quote would end the string' },
    { name: 'Opener', text: '${x}', expected: '"$${x}"', reason: 'data must not become code (field report 6)' },
    { name: 'DoubledOpener', text: '$${x}', expected: '"$$${x}"', reason: 'input that looks escaped is no exception' },
    { name: 'Directive', text: '%{if}', expected: '"%%{if}"', reason: 'directives are code, too' },
    { name: 'LoneSigns', text: '$ % $$ { }', expected: '"$ % $$ { }"', reason: 'alone they mean themselves' },
    { name: 'Lines', text: 'a\r\n\tb', expected: '"a\\r\\n\\tb"', reason: 'a string must not span lines' },
    { name: 'Nul', text: '\u0000\u007f', expected: '"\\u0000\\u007f"', reason: 'controls survive as escapes' },
    { name: 'Bidi', text: 'a\u202eb', expected: '"a\\u202eb"', reason: 'a reviewer must see what is there' },
    { name: 'Astral', text: '\u{1F600}', expected: '"\\U0001f600"', reason: 'above U+FFFF HCL wants eight digits' },
  ];
  it.each(cases)('$name: $reason', ({ text, expected }) => {
    expect(quote(text)).toBe(expected);
    expect(decode(expected)).toBe(text);
  });

  it('survives every short text over the dangerous characters', () => {
    let count = 0;
    for (const text of allTexts(DANGEROUS, 4)) {
      if (decode(quote(text)) !== text) expect.fail(`lost ${JSON.stringify(text)}`);
      count += 1;
    }
    expect(count).toBeGreaterThan(DANGEROUS.length ** 4);
  });

  it('survives any text, in printable ASCII, for our own reader as well', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
        const quoted = quote(text);
        expect(quoted).toMatch(/^[ -~]*$/);
        expect(decode(quoted)).toBe(text);
        expect(scanStructure(`a = ${quoted}\n`)).toMatchObject({
          complete: true,
          attributes: new Map([['a', text]]),
        });
      }),
    );
  });
});

describe('findUnquotable', () => {
  const cases = [
    { name: 'Ascii', text: 'abc', refused: false, reason: 'the usual case' },
    { name: 'Nul', text: 'a\u0000b', refused: false, reason: 'HCL keeps it when escaped' },
    { name: 'Composed', text: 'f\u00fcr', refused: false, reason: 'already in form C' },
    { name: 'Decomposed', text: 'fu\u0308r', refused: true, reason: 'HCL would compose it: another name' },
    { name: 'LoneMark', text: '\u0301', refused: false, reason: 'nothing to compose with' },
    { name: 'HighHalf', text: 'a\ud83d', refused: true, reason: 'HCL has no spelling for half a pair' },
    { name: 'LowHalf', text: '\ude00a', refused: true, reason: 'HCL has no spelling for half a pair' },
    { name: 'Pair', text: '\ud83d\ude00', refused: false, reason: 'a whole pair is one character' },
  ];
  it.each(cases)('$name: $reason', ({ text, refused }) => {
    expect(findUnquotable(text) !== undefined).toBe(refused);
  });
});

describe('commentLines', () => {
  it('lets nothing end a comment early', () => {
    expect(commentLines('a\nb\r\nc\rd\u2028e\u0000 ')).toEqual(['a', 'b', 'c\\u000dd\\u2028e\\u0000']);
    for (const text of allTexts(DANGEROUS, 3))
      for (const line of commentLines(text)) if (!/^[ -~]*$/.test(line)) expect.fail(JSON.stringify(text));
  });
});

describe('escapePart', () => {
  const cases = [
    { name: 'Plain', text: "a-b.c/d #'", part: "a-b.c/d #'", reason: 'nothing to do' },
    { name: 'Quote', text: '"\\', part: '\\"\\\\', reason: 'as in a whole string' },
    { name: 'Lines', text: '\r\n\t', part: '\\r\\n\\t', reason: 'as in a whole string' },
    { name: 'Dollar', text: '$', part: '\\u0024', reason: 'a brace may follow in the text around' },
    { name: 'PerCent', text: '%', part: '\\u0025', reason: 'a brace may follow in the text around' },
    { name: 'Brace', text: '{a}', part: '\\u007ba}', reason: 'a dollar may stand before it' },
    { name: 'Opener', text: '$${', part: '\\u0024\\u0024\\u007b', reason: 'each by itself' },
    { name: 'Astral', text: '\u{1F600}', part: '\\U0001f600', reason: 'printable ASCII alone' },
  ];
  it.each(cases)('$name: $reason', ({ text, part }) => {
    expect(escapePart(text)).toBe(part);
  });
});
