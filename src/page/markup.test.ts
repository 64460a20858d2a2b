import { describe, expect, it } from 'vitest';
import { element, spellOut } from './markup.ts';

describe('element', () => {
  const refused: { name: string; attributes: Record<string, string>; reason: string }[] = [
    { name: 'Handler', attributes: { onclick: 'x' }, reason: 'it would run' },
    { name: 'Script', attributes: { href: 'javascript:x' }, reason: 'it would run on a click' },
    { name: 'Elsewhere', attributes: { href: 'https://example.com' }, reason: 'a page leads nowhere else' },
    { name: 'Source', attributes: { src: 'x' }, reason: 'a page loads nothing' },
    { name: 'Style', attributes: { style: 'x' }, reason: 'the policy forbids it' },
    { name: 'Odd', attributes: { 'a b': 'x' }, reason: 'it would be two attributes' },
  ];
  it.each(refused)('$name is refused: $reason', ({ attributes }) => {
    expect(() => element('a', attributes)).toThrow('must not have the attribute');
  });

  it('leads to another part of the page', () => {
    expect(element('a', { href: '#n1' }).attributes).toEqual({ href: '#n1' });
  });
});

describe('spellOut', () => {
  const cases = [
    { name: 'Plain', text: 'a-1.b\tc\nd', shown: 'a-1.b\tc\nd', reason: 'most names' },
    { name: 'RightToLeft', text: 'نسخة', shown: 'نسخة', reason: 'letters of any script are what they are' },
    { name: 'Override', text: 'a\u202Eb', shown: 'a⟨U+202E⟩b', reason: 'it would turn what follows' },
    { name: 'Isolate', text: '\u2066', shown: '⟨U+2066⟩', reason: 'it would swallow what follows' },
    { name: 'ZeroWidth', text: 'a\u200bb', shown: 'a⟨U+200B⟩b', reason: 'two names would look alike' },
    { name: 'Nul', text: '\u0000', shown: '⟨U+0000⟩', reason: 'HTML cannot hold it' },
    { name: 'Half', text: '\ud800', shown: '⟨U+D800⟩', reason: 'UTF-8 cannot hold it' },
    { name: 'Pair', text: '🪣', shown: '🪣', reason: 'a whole pair is one character' },
  ];
  it.each(cases)('$name: $reason', ({ text, shown }) => {
    expect(spellOut(text)).toBe(shown);
  });
});
