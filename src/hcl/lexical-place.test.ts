import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHclError } from './hcl-error.ts';
import { advance, placeKind, samePlace, START, type Place } from './lexical-place.ts';

function attempt(pieces: readonly string[]): Place | string {
  try {
    return pieces.reduce(advance, START);
  } catch (error) {
    if (isHclError(error)) return error.reason;
    throw error;
  }
}

describe('advance', () => {
  const places = [
    { name: 'Nothing', text: '', kind: 'code', open: '' },
    { name: 'Block', text: 'a "b" {\n  c = [(', kind: 'code', open: '{[(' },
    { name: 'String', text: 'a = "b', kind: 'string', open: '"' },
    { name: 'EscapedQuote', text: 'a = "\\"', kind: 'string', open: '"' },
    { name: 'Backslashes', text: 'a = "\\\\"', kind: 'code', open: '' },
    { name: 'Template', text: 'a = "${b({ c = ', kind: 'code', open: '"$({' },
    { name: 'TemplateEnd', text: 'a = "${b}', kind: 'string', open: '"' },
    { name: 'Control', text: 'a = "%{ if b }', kind: 'string', open: '"' },
    { name: 'StringInTemplate', text: 'a = "${b["', kind: 'string', open: '"$["' },
    { name: 'EscapedOpener', text: 'a = "$${b} %%{c} $$${d}', kind: 'string', open: '"' },
    { name: 'LineComment', text: 'a # "', kind: 'comment', open: '#' },
    { name: 'Slashes', text: 'a // "', kind: 'comment', open: '#' },
    { name: 'LineCommentEnd', text: 'a # "\n', kind: 'code', open: '' },
    { name: 'Comment', text: 'a /* " \n # ', kind: 'comment', open: '*' },
    { name: 'CommentEnd', text: 'a /* " **/', kind: 'code', open: '' },
    { name: 'CommentInTemplate', text: '"${ /* } */', kind: 'code', open: '"$' },
    { name: 'HashInString', text: '"# /*', kind: 'string', open: '"' },
    { name: 'HalfDollar', text: '"$', kind: 'half', open: '"' },
    { name: 'HalfDollars', text: '"a$$', kind: 'half', open: '"' },
    { name: 'HalfPerCent', text: '"%', kind: 'half', open: '"' },
    { name: 'HalfEscape', text: '"\\', kind: 'half', open: '"' },
    { name: 'HalfCodePoint', text: '"\\u00', kind: 'half', open: '"' },
    { name: 'HalfComment', text: 'a /', kind: 'half', open: '' },
    { name: 'HalfCommentEnd', text: '/* *', kind: 'half', open: '*' },
    { name: 'HalfHeredoc', text: 'a = <', kind: 'half', open: '' },
  ];
  it.each(places)('$name', ({ text, kind, open }) => {
    const place = attempt([text]) as Place;
    expect([placeKind(place), place.open]).toEqual([kind, open]);
  });

  const refused = [
    { name: 'Heredoc', text: 'a = <<EOT', reason: 'expected a quoted string, got a heredoc' },
    {
      name: 'LineEndInString',
      text: '"a\n',
      reason: 'expected a string that ends on its line, got the end of the line',
    },
    { name: 'UnknownEscape', text: '"\\x', reason: 'expected an escape that HCL knows, got "\\\\x"' },
    { name: 'ExtraBrace', text: '}', reason: 'expected brackets that match, got } where nothing is open' },
    { name: 'Mismatch', text: '{]', reason: 'expected brackets that match, got ] where { is open' },
    { name: 'TemplateMismatch', text: '"${)', reason: 'expected brackets that match, got ) where $ is open' },
  ];
  it.each(refused)('refuses $name', ({ text, reason }) => {
    expect(attempt([text])).toBe(reason);
  });

  it('tells the same place however the text is cut', () => {
    const token = fc.constantFrom(
      ...['"', '\\', '${', '%{', '$', '{', '}', '[', ']', '(', ')', '\n', '#', '/', '*', '<', 'a', '\\u00e9', ' '],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), fc.array(fc.nat(30), { maxLength: 4 }), (tokens, cuts) => {
        const text = tokens.join('');
        const ends = [...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length];
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        const [whole, cut] = [attempt([text]), attempt(pieces)];
        if (typeof whole === 'string' || typeof cut === 'string') expect(cut).toBe(whole);
        else expect(samePlace(whole, cut)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes linear time', () => {
    for (const unit of ['"', '${', '"${', '{', '/*', '# ', '"\\n"']) attempt([unit.repeat(200_000 / unit.length)]);
  });
});
