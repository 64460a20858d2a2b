import { describe, expect, it } from 'vitest';
import { HOSTILE_NAMES } from '../../test/fixtures/hostile-names.ts';
import { element, spellOut } from './markup.ts';
import { printMarkup } from './print-markup.ts';

/** Every text of up to four characters over what matters in HTML. */
function* dangerousTexts(): Generator<string> {
  const alphabet = ['<', '>', '&', '"', "'", '/', '!', '-', 'a'];
  let texts = [''];
  for (let length = 1; length <= 4; length += 1) {
    texts = texts.flatMap(text => alphabet.map(character => text + character));
    yield* texts;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function readBack(html: string): string {
  return html.replace(/&([a-z]+|#39);/g, (_, name: string) => ENTITIES[name] ?? '?');
}

describe('printMarkup', () => {
  it('spells every text so that it stays text, and is read as it was written', () => {
    for (const text of dangerousTexts()) {
      const html = printMarkup(element('p', { title: text }, text));
      const parts = /^<p title="([^"<>]*)">([^"<>']*)<\/p>$/.exec(html);
      if (parts === null || readBack(parts[1] ?? '') !== text || readBack(parts[2] ?? '') !== text)
        throw new Error(`${JSON.stringify(text)} became ${html}`);
    }
  });

  it.each(Object.entries(HOSTILE_NAMES))('keeps %s within its element', (_, name) => {
    const html = printMarkup(element('p', { title: name }, name));
    expect(html).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
    expect(readBack(/>([^<]*)</.exec(html)?.[1] ?? '')).toBe(spellOut(name));
  });

  it.each(['a</style>', '<!-- a'])('refuses raw text that could end its element: %s', text => {
    expect(() => printMarkup(element('style', {}, text))).toThrow('raw text');
  });

  it('refuses a tag that is none', () => {
    expect(() => printMarkup(element('p><script', {}))).toThrow('not the name of an element');
  });
});
