import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFieldError } from './errors.ts';
import { mentions, parseTemplate, renderTemplate } from './template.ts';

const OFFERED = ['namespace', 'bucket'] as const;

function messageOf(text: string): string {
  try {
    parseTemplate(text, OFFERED, 'backup.keyName');
  } catch (error) {
    if (isFieldError(error)) return error.message;
    throw error;
  }
  return 'no fault';
}

describe('renderTemplate', () => {
  it.each([
    { name: 'plain text', reason: 'a template need not use a name', text: 'fixed', result: 'fixed' },
    { name: 'names', reason: 'the common case', text: '{{namespace}}-{{ bucket }}', result: 'demo-a-<b>&' },
    { name: 'no escaping', reason: 'the result is no HTML', text: '{{bucket}}', result: '<b>&' },
    { name: 'three braces', reason: 'the same thing, as nothing is escaped', text: '{{{bucket}}}', result: '<b>&' },
    { name: 'comment', reason: 'says nothing', text: 'a{{! why }}b', result: 'ab' },
    { name: 'whitespace control', reason: 'Handlebars trims around ~', text: 'a {{~bucket~}} b', result: 'a<b>&b' },
    { name: 'bracketed name', reason: 'another spelling of a name', text: '{{[bucket]}}', result: '<b>&' },
  ])('$name: $reason', ({ text, result }) => {
    expect(renderTemplate(parseTemplate(text, OFFERED, 'x'), { namespace: 'demo-a', bucket: '<b>&' })).toBe(result);
  });

  it('never reads a value as a template', () => {
    const template = parseTemplate('{{bucket}}', OFFERED, 'x');
    expect(renderTemplate(template, { namespace: '', bucket: '{{namespace}}' })).toBe('{{namespace}}');
  });

  it('gives text without braces and backslashes back unchanged', () => {
    fc.assert(
      fc.property(fc.string(), raw => {
        const text = raw.replaceAll(/[{}\\]/g, '');
        expect(renderTemplate(parseTemplate(text, OFFERED, 'x'), { namespace: '', bucket: '' })).toBe(text);
      }),
    );
  });
});

describe('parseTemplate', () => {
  const expected = 'backup.keyName: expected a Handlebars template of text and the names namespace, bucket, got ';
  it.each([
    { name: 'unknown name', reason: 'a typo', text: '{{bukket}}', found: 'the name "bukket"' },
    { name: 'two', reason: 'all in one go', text: '{{a}}{{b}}{{a}}', found: 'the name "a" and the name "b"' },
    {
      name: 'if',
      reason: 'strict mode lets it through',
      text: '{{#if a}}{{/if}}',
      found: 'the block helper "if" and the name "a"',
    },
    {
      name: 'each',
      reason: 'strict mode lets it through',
      text: '{{#each a}}{{/each}}',
      found: 'the block helper "each" and the name "a"',
    },
    {
      name: 'with',
      reason: 'strict mode lets it through',
      text: '{{#with a}}{{/with}}',
      found: 'the block helper "with" and the name "a"',
    },
    {
      name: 'lookup',
      reason: 'reaches any property',
      text: '{{lookup bucket "length"}}',
      found: 'the helper "lookup"',
    },
    {
      name: 'log',
      reason: 'writes to the log',
      text: '{{log namespace x=y}}',
      found: 'the helper "log" and the name "y"',
    },
    {
      name: 'subexpression',
      reason: 'a call within a call',
      text: '{{a (b c)}}',
      found: 'the helper "a" and the helper "b"',
    },
    {
      name: 'section',
      reason: 'a block without helper',
      text: '{{#bucket}}{{/bucket}}',
      found: 'the block helper "bucket"',
    },
    {
      name: 'inverse',
      reason: 'a block without helper',
      text: '{{^bucket}}{{/bucket}}',
      found: 'the block helper "bucket"',
    },
    { name: 'partial', reason: 'there are none', text: '{{> other}}', found: 'the partial "other"' },
    { name: 'partial block', reason: 'there are none', text: '{{#> other}}{{/other}}', found: 'the partial "other"' },
    { name: 'decorator', reason: 'there are none', text: '{{* other}}', found: 'a Decorator' },
    {
      name: 'inline partial',
      reason: 'there are none',
      text: '{{#*inline "x"}}{{/inline}}',
      found: 'a DecoratorBlock',
    },
    { name: 'parent', reason: 'there is no context', text: '{{../bucket}}', found: 'the path "../bucket"' },
    { name: 'data', reason: 'there is none', text: '{{@root.bucket}}', found: 'the path "@root.bucket"' },
    { name: 'this', reason: 'there is no context', text: '{{this}}', found: 'the path "this"' },
    { name: 'dot', reason: 'there is no context', text: '{{.}}', found: 'the path "."' },
    {
      name: 'this.name',
      reason: 'another spelling that says nothing more',
      text: '{{this.bucket}}',
      found: 'the path "this.bucket"',
    },
    {
      name: 'property',
      reason: 'values have no properties to use',
      text: '{{bucket.length}}',
      found: 'the path "bucket.length"',
    },
    {
      name: 'prototype',
      reason: 'no name of ours',
      text: '{{constructor}}{{__proto__}}',
      found: 'the name "constructor" and the name "__proto__"',
    },
    { name: 'literal', reason: 'Handlebars would look it up', text: '{{"bucket"}}', found: 'the literal "bucket"' },
    { name: 'number', reason: 'Handlebars would look it up', text: '{{1}}', found: 'the literal number 1' },
  ])('refuses $name: $reason', ({ text, found }) => {
    expect(messageOf(text)).toBe(expected + found);
  });

  it('says in one line what could not be read', () => {
    expect(messageOf('{{bucket')).toMatch(
      /^backup\.keyName: expected a Handlebars template .*, got "\{\{bucket" \(.*\)$/,
    );
  });

  it('accepts or refuses with a FieldError, whatever the text', () => {
    const token = fc.constantFrom(
      '{{',
      '}}',
      '{',
      '}',
      '#',
      '/',
      '>',
      '*',
      '^',
      '!',
      '~',
      '@',
      '..',
      'if',
      'bucket',
      '"',
      '\\',
      '&',
      '(',
      ')',
      '=',
      '|',
      'else',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), tokens => {
        expect(messageOf(tokens.join(''))).not.toContain('undefined');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('mentions', () => {
  it('knows which names the result depends on', () => {
    const template = parseTemplate('{{bucket}}-namespace', OFFERED, 'x');
    expect([mentions(template, 'bucket'), mentions(template, 'namespace')]).toEqual([true, false]);
  });
});
