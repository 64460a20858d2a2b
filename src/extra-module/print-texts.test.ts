import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFieldError } from '../errors.ts';
import type { ExtraData } from './data.ts';
import { printExtraTexts, tryExtraTemplate } from './print-texts.ts';

const DATA: ExtraData = {
  namespace: 'demo-a',
  schedules: [
    { name: 'nightly', bucket: 'demo-files' },
    { name: 'other', bucket: '' },
  ],
  routes: [{ name: 'web', hosts: ['a.int.example.test', 'b.int.example.test'] }],
  buckets: [
    { key: 'demo-files', name: 'Demo-Files', wanted: true, schedules: ['nightly'] },
    { key: 'old', name: 'old', wanted: false, schedules: [] },
  ],
  records: [{ name: 'a.int.example.test', zone: 'int.example.test' }],
};

const PROVIDERS = { dns: true, extra: ['random'] };

function render(template: string, data: Partial<ExtraData> = {}): string {
  const [module] = printExtraTexts([{ name: 'one', template }], PROVIDERS, { ...DATA, ...data });
  return module?.text ?? '';
}

function faultOf(act: () => unknown): string {
  try {
    act();
    return 'no fault';
  } catch (error) {
    if (isFieldError(error)) return error.message;
    throw error;
  }
}

/** In a body that may hold anything. */
function local(value: string): string {
  return `locals {\n  extra_a = ${value}\n}`;
}

describe('what a template makes', () => {
  const cases = [
    { name: 'Text', reason: 'as it stands', template: '{ a = 1 }', value: '{ a = 1 }' },
    { name: 'Value', reason: 'in quotes', template: '"x-{{namespace}}"', value: '"x-demo-a"' },
    {
      name: 'ValueInTemplate',
      reason: 'quotes within',
      template: '"${f("{{namespace}}")}"',
      value: '"${f("demo-a")}"',
    },
    { name: 'String', reason: 'an expression', template: 'upper({{string namespace}})', value: 'upper("demo-a")' },
    { name: 'StringInTemplate', reason: 'code within quotes', template: '"${ {{string namespace}} }"', value: '"${ "demo-a" }"' }, // prettier-ignore
    { name: 'List', reason: 'a field of each', template: '{{list buckets "key"}}', value: '["demo-files", "old"]' },
    { name: 'EmptyList', reason: 'no special case', template: '{{list schedules "name"}}', value: '[]', data: { schedules: [] } }, // prettier-ignore
    { name: 'Texts', reason: 'a list of texts in a loop', template: '[{{#each routes}}{{list hosts}},{{/each}}]', value: '[["a.int.example.test", "b.int.example.test"],]' }, // prettier-ignore
    { name: 'Map', reason: 'two fields of each', template: '{{map records "name" "zone"}}', value: '{ "a.int.example.test" = "int.example.test" }' }, // prettier-ignore
    { name: 'MapOfLists', reason: 'a field may be a list', template: '{{map buckets "key" "schedules"}}', value: '{ "demo-files" = ["nightly"], "old" = [] }' }, // prettier-ignore
    { name: 'EmptyMap', reason: 'no special case', template: '{{map records "name" "zone"}}', value: '{}', data: { records: [] } }, // prettier-ignore
    { name: 'Each', reason: 'names of the item', template: '[{{#each buckets}}"{{key}}",{{/each}}]', value: '["demo-files","old",]' }, // prettier-ignore
    { name: 'EachElse', reason: 'for none', template: '"{{#each schedules}}x{{else}}none{{/each}}"', value: '"none"', data: { schedules: [] } }, // prettier-ignore
    { name: 'Outwards', reason: 'from a loop', template: '[{{#each routes}}{{#each hosts}}"{{../../namespace}} {{../name}} {{this}}",{{/each}}{{/each}}]', value: '["demo-a web a.int.example.test","demo-a web b.int.example.test",]' }, // prettier-ignore
    { name: 'If', reason: 'a flag, a text, a list', template: '[{{#each buckets}}{{#if wanted}}"{{key}}",{{/if}}{{#if schedules}}1{{else}}2{{/if}},{{/each}}]', value: '["demo-files",1,2,]' }, // prettier-ignore
    { name: 'ElseIf', reason: 'a chain', template: '{{#if schedules}}1{{else if buckets}}2{{else}}3{{/if}}', value: '2', data: { schedules: [] } }, // prettier-ignore
    { name: 'Comment', reason: 'says nothing', template: '1{{! no }}{{!-- no --}}', value: '1' },
    { name: 'Tilde', reason: "Handlebars' own", template: '"x  {{~namespace~}}  y"', value: '"xdemo-ay"' },
  ];
  it.each(cases)('$name: $reason', ({ template, value, data }) => {
    expect(render(local(template), data)).toBe(local(value));
  });

  it('is nothing where nothing comes out', () => {
    const template = '\n{{#each schedules}}\nresource "random_pet" "extra_{{name}}" {}\n{{/each}}\n';
    expect(printExtraTexts([{ name: 'one', template }], PROVIDERS, { ...DATA, schedules: [] })).toEqual([]);
    expect(render(template)).toBe('resource "random_pet" "extra_nightly" {}\nresource "random_pet" "extra_other" {}');
  });
});

describe('what a template may not say', () => {
  const three =
    'extraModules.one: expected values between two braces, so that they are escaped, got three braces or an ampersand';
  const inQuotes = 'extraModules.one: expected values within quotes (use {{string x}} for an expression), got ';
  const outside =
    'extraModules.one: expected helpers outside of quotes (within quotes use {{name}} without a helper), got ';
  const branches =
    'expected branches that open and close the same brackets and quotes, got a block whose branches end in different places';
  const cases = [
    { name: 'three braces', reason: 'nothing is escaped', value: '"{{{namespace}}}"', fault: `${three} (line 2)` },
    { name: 'an ampersand', reason: 'the same thing', value: '"{{&namespace}}"', fault: `${three} (line 2)` },
    { name: 'code', reason: 'a value would be code', value: '{{namespace}}', fault: `${inQuotes}"namespace" outside of quotes (line 2)` }, // prettier-ignore
    { name: 'code in a string', reason: 'the same thing', value: '"${ {{namespace}} }"', fault: `${inQuotes}"namespace" outside of quotes (line 2)` }, // prettier-ignore
    { name: 'a comment', reason: 'a value could end it', value: '1 /* {{namespace}} */', fault: `${inQuotes}"namespace" in a comment (line 2)` }, // prettier-ignore
    { name: 'a line comment', reason: 'for the same rule', value: '1 # {{namespace}}', fault: `${inQuotes}"namespace" in a comment (line 2)` }, // prettier-ignore
    { name: 'behind a dollar', reason: 'two halves make an opener', value: '"${{namespace}}"', fault: `${inQuotes}"namespace" right behind "$" (line 2)` }, // prettier-ignore
    { name: 'behind a per cent', reason: 'two halves make an opener', value: '"%{{namespace}}"', fault: `${inQuotes}"namespace" right behind "%" (line 2)` }, // prettier-ignore
    { name: 'behind a backslash', reason: 'it would be an escape', value: '"\\\\{{namespace}}"', fault: `${inQuotes}"namespace" right behind "\\\\" (line 2)` }, // prettier-ignore
    { name: 'in an escape', reason: 'half a code point', value: '"\\u00{{namespace}}"', fault: `${inQuotes}"namespace" right behind "\\\\u00" (line 2)` }, // prettier-ignore
    { name: 'helper in quotes', reason: 'its quotes would end the string', value: '"{{string namespace}}"', fault: `${outside}"namespace" within quotes (line 2)` }, // prettier-ignore
    { name: 'helper in a comment', reason: 'a list can hold an end', value: '1 /* {{list buckets "key"}} */', fault: `${outside}"buckets" in a comment (line 2)` }, // prettier-ignore
    {
      name: 'unequal branches',
      reason: 'the rest would mean another thing',
      value: '"{{#if schedules}}a"{{/if}}',
      fault: branches,
    },
    {
      name: 'unequal loop',
      reason: 'each round would open one more',
      value: '1{{#each schedules}}{ {{/each}}',
      fault: branches,
    },
    { name: 'half a dollar per round', reason: 'the next round makes an opener', value: '"{{#each schedules}}{$}$x{{/each}}{{#each schedules}}{x}${{/each}}"', fault: branches }, // prettier-ignore
    { name: 'heredoc', reason: 'escapes mean nothing in it', value: '<<EOT\n{{namespace}}\nEOT', fault: 'expected a quoted string, got a heredoc (line 1)' }, // prettier-ignore
    { name: 'unknown name', reason: 'a typo', value: '"{{namespce}}"', fault: 'expected one of the names namespace, schedules, routes, buckets, records, got "namespce" (line 2)' }, // prettier-ignore
    { name: 'unknown field', reason: 'a typo', value: '{{list buckets "nme"}}', fault: 'expected one of the names key, name, wanted, schedules, got "nme"' }, // prettier-ignore
    { name: 'prototype', reason: 'own names only', value: '"{{constructor}}"', fault: 'got "constructor"' },
    {
      name: 'proto field',
      reason: 'own names only',
      value: '{{map buckets "__proto__" "key"}}',
      fault: 'got "__proto__"',
    },
    { name: 'property', reason: 'texts have none', value: '"{{namespace.length}}"', fault: 'expected a value without fields, got "length"' }, // prettier-ignore
    {
      name: 'list as text',
      reason: 'no [object Object]',
      value: '"{{buckets}}"',
      fault: 'expected a text, got "buckets", a list',
    },
    {
      name: 'flag as text',
      reason: 'only if asks it',
      value: '"{{#each buckets}}{{wanted}}{{/each}}"',
      fault: 'a flag',
    },
    { name: 'text as list', reason: 'no letters one by one', value: '{{list namespace}}', fault: 'expected a list, got "namespace"' }, // prettier-ignore
    { name: 'each over text', reason: 'no letters one by one', value: '"{{#each namespace}}x{{/each}}"', fault: 'expected a list, got "namespace"' }, // prettier-ignore
    {
      name: 'list of objects',
      reason: 'which field?',
      value: '{{list buckets}}',
      fault: 'expected a text, got "buckets", a object',
    },
    { name: 'map without fields', reason: 'which?', value: '{{map buckets "key"}}', fault: 'got fewer' },
    { name: 'field without quotes', reason: 'it would be a name', value: '{{list buckets key}}', fault: 'expected the name of a field in quotes, got "key"' }, // prettier-ignore
    {
      name: 'position',
      reason: 'addresses by number move',
      value: '"{{#each buckets}}{{@index}}{{/each}}"',
      fault: 'got "@index"',
    },
    { name: 'beyond the root', reason: 'there is nothing', value: '"{{../namespace}}"', fault: 'expected a name within the template, got "../namespace"' }, // prettier-ignore
    {
      name: 'block parameter',
      reason: 'kept small',
      value: '"{{#each buckets as |b|}}{{/each}}"',
      fault: 'got a block parameter',
    },
    {
      name: 'with',
      reason: 'not offered',
      value: '"{{#with namespace}}{{/with}}"',
      fault: 'got the block helper "with"',
    },
    {
      name: 'lookup',
      reason: 'reaches anything',
      value: '"{{lookup buckets 0}}"',
      fault: 'expected the name of a field in quotes',
    },
    { name: 'log', reason: 'not offered', value: '{{log namespace}}', fault: 'got the helper "log"' },
    { name: 'subexpression', reason: 'not offered', value: '{{list (list buckets "key")}}', fault: 'line 2' },
    { name: 'hash', reason: 'not offered', value: '{{list buckets key="key"}}', fault: 'got the helper "list"' },
    { name: 'partial', reason: 'there are none', value: '{{> other}}', fault: 'got the partial "other"' },
    { name: 'decorator', reason: 'there are none', value: '{{* other}}', fault: 'got a Decorator' },
    { name: 'literal', reason: 'Handlebars would look it up', value: '"{{"namespace"}}"', fault: 'got "namespace"' },
    { name: 'umlaut', reason: 'what is read is what is seen', value: '"\u00e9"', fault: 'expected printable ASCII, tabs and line feeds (in strings, "\\u00e9"), got U+00E9' }, // prettier-ignore
    { name: 'direction', reason: 'text that runs the other way', value: '1 # \u202e', fault: 'got U+202E' },
    { name: 'carriage return', reason: 'line ends differ', value: '1\r', fault: 'got U+000D' },
    { name: 'byte order mark', reason: 'HCL takes it at the start only', value: '\uFEFF1', fault: 'got U+FEFF' },
    { name: 'unreadable', reason: 'in one line', value: '{{#if}', fault: 'expected a Handlebars template of HCL' },
  ];
  it.each(cases)('$name: $reason', ({ value, fault }) => {
    expect(faultOf(() => render(local(value)))).toContain(fault);
  });

  const texts = [
    { name: 'open brace', text: 'locals {\n  extra_a = 1\n', fault: 'expected text that closes every bracket, string and comment, got "{" still open' }, // prettier-ignore
    { name: 'open comment', text: 'locals {}\n/* ', fault: 'got "*" still open' },
    { name: 'extra brace', text: 'locals {}\n}', fault: 'expected brackets that match, got } where nothing is open' },
    { name: 'argument', text: 'a = 1', fault: 'expected blocks alone at the top level, got the argument "a"' },
    { name: 'JSON', text: '{"resource": {"b2_bucket": {}}}', fault: 'expected HCL that can be read whole' },
    { name: 'words', text: 'hello', fault: 'expected HCL that can be read whole' },
  ];
  it.each(texts)('$name', ({ text, fault }) => {
    expect(faultOf(() => render(text))).toContain(fault);
  });
});

describe('which blocks may stand there', () => {
  const prefix = "names that start with extra_, so that they are none of the function's own, got ";
  const types = 'blocks of type resource, data, output, locals and provider alone, got ';
  const providers = 'resources of the providers b2, netbird, random, terraform (name others in providers.extra), got ';
  const bucket = 'no b2_bucket, because nothing would protect it: buckets come from Schedules, got ';
  const provisioner =
    'no provisioner, because it runs commands beside every credential, and what is escaped for HCL is not for a shell, got ';
  const cases = [
    { name: 'resource', text: 'resource "netbird_group" "extra_a" {}', fault: undefined },
    { name: 'without quotes', text: 'resource netbird_group extra_a {}', fault: undefined },
    { name: 'built in', text: 'resource "terraform_data" "extra_a" {}', fault: undefined },
    { name: 'data', text: 'data "b2_bucket" "extra_a" {}', fault: undefined },
    { name: 'output', text: 'output "extra_a" {\n  value = 1\n}', fault: undefined },
    { name: 'provider', text: 'provider "random" {}', fault: undefined },
    { name: 'alias', text: 'resource "random_pet" "extra_a" {\n  provider = random.x # why\n}', fault: 'provider = "random.x # why" in ' }, // prettier-ignore
    { name: 'alias alone', text: 'resource "random_pet" "extra_a" {\n  provider = random.x\n}', fault: undefined },
    { name: 'other name', text: 'resource "random_pet" "a" {}', fault: `${prefix}resource "random_pet" "a"` },
    { name: 'the prefix alone', text: 'resource "random_pet" "extra_" {}', fault: prefix },
    { name: 'name of ours', text: 'resource "b2_application_key" "backup" {}', fault: prefix },
    { name: 'output of ours', text: 'output "buckets" {\n  value = {}\n}', fault: `${prefix}output "buckets"` },
    { name: 'local of ours', text: 'locals {\n  buckets = {}\n}', fault: `${prefix}locals { buckets }` },
    { name: 'bucket', text: 'resource "b2_bucket" "extra_a" {}', fault: `${bucket}resource "b2_bucket" "extra_a"` },
    { name: 'bucket without quotes', text: 'resource b2_bucket extra_a {}', fault: bucket },
    { name: 'bucket in escapes', text: 'resource "b2\\u005fbucket" "extra_a" {}', fault: bucket },
    { name: 'bucket behind a comment', text: 'resource /* x */ "b2_bucket" /* { */ "extra_a" {}', fault: bucket },
    { name: 'bucket behind a string', text: 'locals {\n  extra_a = "}\\"{#/*"\n}\nresource "b2_bucket" "extra_a" {}', fault: bucket }, // prettier-ignore
    { name: 'bucket behind a template', text: 'locals {\n  extra_a = "${"}"}"\n}\nresource "b2_bucket" "extra_a" {}', fault: bucket }, // prettier-ignore
    { name: 'bucket on one line', text: 'resource "random_pet" "extra_a" {} resource "b2_bucket" "extra_b" {}', fault: bucket }, // prettier-ignore
    { name: 'bucket made by data', text: 'resource "{{#each buckets}}{{#if wanted}}b2_bucket{{/if}}{{/each}}" "extra_a" {}', fault: bucket }, // prettier-ignore
    {
      name: 'bucket through an alias',
      text: 'resource "b2_bucket" "extra_a" {\n  provider = random\n}',
      fault: bucket,
    },
    ...[
      'terraform',
      'moved',
      'removed',
      'import',
      'check "extra_a"',
      'variable "extra_a"',
      'module "extra_a"',
      'backend "s3"',
      'ephemeral "random_password" "extra_a"',
      'encryption',
    ].map(text => ({ name: text, text: `${text} {}`, fault: types + text })),
    { name: 'our provider', text: 'provider "b2" {\n  alias = "x"\n}', fault: 'provider blocks of providers.extra alone, got provider "b2"' }, // prettier-ignore
    { name: 'provider not named', text: 'provider "hcloud" {}', fault: 'provider blocks of providers.extra alone' },
    { name: 'resource of a provider not named', text: 'resource "hcloud_server" "extra_a" {}', fault: providers },
    { name: 'data of a provider not named', text: 'data "http" "extra_a" {}', fault: providers },
    { name: 'provider by argument', text: 'resource "random_pet" "extra_a" {\n  provider = hcloud\n}', fault: 'provider = "hcloud" in' }, // prettier-ignore
    {
      name: 'provider in quotes',
      text: 'resource "random_pet" "extra_a" {\n  provider = "random"\n}',
      fault: 'provider = ',
    },
    { name: 'local-exec', text: 'resource "terraform_data" "extra_a" {\n  provisioner "local-exec" {}\n}', fault: `${provisioner}provisioner in` }, // prettier-ignore
    { name: 'connection', text: 'resource "terraform_data" "extra_a" {\n  connection {}\n}', fault: provisioner },
    { name: 'labels of locals', text: 'locals "extra_a" {}', fault: 'locals without labels and blocks' },
    { name: 'too many labels', text: 'resource "random_pet" "extra_a" "extra_b" {}', fault: 'a type and a name' },
    { name: 'a name that is none', text: 'resource "random_pet" "extra_a.b" {}', fault: 'a type and a name' },
    { name: 'a template as name', text: 'resource "random_pet" "extra_${1}" {}', fault: 'HCL that can be read whole' },
  ];
  it.each(cases)('$name', ({ text, fault }) => {
    const found = faultOf(() => render(text));
    if (fault === undefined) expect(found).toBe('no fault');
    else expect(found).toContain(fault);
  });

  it('takes a name once in all extra modules', () => {
    const template = 'resource "random_pet" "extra_a" {}';
    const twice = [{ name: 'one', template }, { name: 'two', template }]; // prettier-ignore
    expect(faultOf(() => printExtraTexts(twice, PROVIDERS, DATA))).toBe(
      'extraModules.two: expected every name once, got "random_pet.extra_a", which one has too',
    );
  });

  it('has NetBird with DNS only', () => {
    const template = 'resource "netbird_group" "extra_a" {}';
    expect(faultOf(() => { tryExtraTemplate(template, { dns: false, extra: [] }); })).toContain('providers b2, terraform'); // prettier-ignore
    expect(faultOf(() => { tryExtraTemplate(template, { dns: true, extra: [] }); })).toBe('no fault'); // prettier-ignore
  });

  it('reads routes and records with DNS only: without it they would be empty, and all made from them destroyed', () => {
    for (const name of ['routes', 'records']) {
      const template = local(`{{list ${name} "name"}}`);
      expect(faultOf(() => { tryExtraTemplate(template, { dns: false, extra: [] }); })).toContain('routes and records need dns'); // prettier-ignore
    }
  });
});

describe('what no data can do', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }).map(text => text.normalize('NFC')),
    fc
      .array(
        fc.constantFrom('"', '\\', '$', '%', '{', '}', '${', '%{', '\n', '\r', '#', '/*', '*/', '<<EOT\n', 'a', 'u00'),
        { maxLength: 10 },
      ) // prettier-ignore
      .map(tokens => tokens.join('')),
  );

  it('add a block, or change what stands around it', () => {
    const template = [
      'resource "random_pet" "extra_a" {',
      '  a = "{{namespace}}{{namespace}}x$$ {{namespace}}{y}"',
      '  b = "${f("{{namespace}}", {{string namespace}})}"',
      '  c = {{list buckets "name"}}',
      '  d = {{map buckets "key" "name"}}',
      '}',
      'output "extra_b" {',
      '  value = 1',
      '}',
    ].join('\n');
    const seen = new Set<string>();
    fc.assert(
      fc.property(nasty, fc.uniqueArray(nasty, { maxLength: 3 }), (namespace, keys) => {
        const buckets = keys.map(key => ({ key, name: key, wanted: true, schedules: [] }));
        let text: string;
        try {
          text = render(template, { namespace, buckets });
        } catch (error) {
          // Half a surrogate pair: HCL cannot hold it.
          if (isFieldError(error) && error.message.includes('surrogate')) return;
          throw error;
        }
        expect(text).toMatch(/^[\n -~]*$/);
        expect(text.split('\n').map(line => line.replace(/".*"/, '""').trim().slice(0, 3))).toEqual(
          template.split('\n').map(line => line.replace(/".*"/, '""').trim().slice(0, 3)),
        );
        seen.add(text);
      }),
      { numRuns: 500 },
    );
    expect(seen.size).toBeGreaterThan(200);
  });

  it('be dropped or renamed without a word', () => {
    expect(faultOf(() => render(local('"{{namespace}}"'), { namespace: '\ud800' }))).toContain('surrogate');
    expect(faultOf(() => render(local('{{string namespace}}'), { namespace: 'e\u0301' }))).toContain('normal form C');
    const records = ['a', 'a'].map(name => ({ name, zone: 'z' }));
    expect(faultOf(() => render(local('{{map records "name" "zone"}}'), { records }))).toContain('every name once');
  });

  it('make the text endless', () => {
    const records = Array.from({ length: 2_000 }, (_, index) => ({ name: `${index}`, zone: 'z' }));
    const loops = (inner: string): string =>
      local(`[{{#each records}}{{#each ../records}}{{#each ../../records}}${inner}{{/each}}{{/each}}{{/each}}]`);
    expect(faultOf(() => render(loops('"{{name}}",'), { records }))).toContain('expected a text of at most 524288');
    expect(faultOf(() => render(loops('{{#if zone}}{{/if}}'), { records }))).toContain('at most 500000 steps');
  });
});

describe('any template', () => {
  it('is accepted or refused with a FieldError', () => {
    const token = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{',
        '}',
        '#',
        '/',
        '>',
        '*',
        '^',
        '&',
        '~',
        '@',
        '..',
        'if',
        'each',
        'buckets',
        'key',
        'else',
        ' ',
        '\n',
      ],
      ...[
        '"',
        '\\',
        '(',
        ')',
        '=',
        '|',
        'list ',
        'string ',
        'namespace',
        'locals {\n',
        'extra_a = ',
        '{{#if buckets}}',
        '{{/if}}',
      ],
      ...[
        '{{#each buckets}}',
        '{{/each}}',
        '{{key}}',
        '{{name}}',
        '${',
        '<<',
        '//',
        '/*',
        '*/',
        '\ud800',
        'resource "b2_bucket" "x" {}',
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), tokens => {
        expect(faultOf(() => render(tokens.join('')))).not.toContain('undefined');
      }),
      { numRuns: 2_000 },
    );
  });

  it('ends, however deep it is nested', () => {
    for (const [open, close] of [
      ['{{#if buckets}}', '{{/if}}'],
      ['{{list (', ')}}'],
      ['{{!', '}}'],
      ['{', '}'],
      ['"${', '}"'],
    ] as const)
      // prettier-ignore
      expect(faultOf(() => render(open.repeat(1_000) + close.repeat(1_000)))).toEqual(expect.any(String));
  });
});
