import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBlocks, scanStructure } from './scan.ts';

const CONFIGURATION = `
# terraform { backend "s3" { bucket = "commented" } }
terraform {
  backend "s3" {
    bucket               = "state" // why
    key                  = "tofu.tfstate" /* and
    this */
    workspace_key_prefix = "demo-a"
    endpoints            = { s3 = "https://s3.example.test" }
    use_lockfile         = true
  }
  encryption {
    key_provider "pbkdf2" "main" {}
  }
  required_providers {
    b2 = {
      source  = "Backblaze/b2"
      version = "0.13.0"
      configuration_aliases = [b2.a, b2.b]
    }
  }
}
resource "b2_bucket" "b0" { bucket_name = "one" }
resource b2_bucket "b1" {
  bucket_name = "two-\${var.x}"
  lifecycle { prevent_destroy = true }
}
module "x" {
  source = "./x"
}
`;

describe('scanStructure', () => {
  it('finds what a provider configuration and a module hold', () => {
    const scan = scanStructure(CONFIGURATION);
    expect(scan.complete).toBe(true);
    const [terraform] = findBlocks(scan, 'terraform');
    const [backend] = findBlocks(terraform ?? scan, 'backend', 's3');
    expect([...(backend?.attributes ?? [])]).toEqual([
      ['bucket', 'state'],
      ['key', 'tofu.tfstate'],
      ['workspace_key_prefix', 'demo-a'],
      ['endpoints', new Map([['s3', 'https://s3.example.test']])],
      ['use_lockfile', undefined],
    ]);
    const [encryption] = findBlocks(terraform ?? scan, 'encryption');
    expect(findBlocks(encryption ?? scan, 'key_provider').map(block => block.labels)).toEqual([['pbkdf2', 'main']]);
    const [providers] = findBlocks(terraform ?? scan, 'required_providers');
    expect(providers?.attributes.get('b2')).toEqual(
      new Map([
        ['source', 'Backblaze/b2'],
        ['version', '0.13.0'],
        ['configuration_aliases', undefined],
      ]),
    );
    const buckets = findBlocks(scan, 'resource', 'b2_bucket');
    expect(buckets.map(block => block.labels[1])).toEqual(['b0', 'b1']);
    expect(buckets.map(block => block.attributes.get('bucket_name'))).toEqual(['one', undefined]);
    expect(findBlocks(scan, 'module').map(block => block.labels)).toEqual([['x']]);
  });

  const values = [
    { name: 'Escapes', value: '"\\"\\\\\\n\\u00e9\\U0001F600$${a}%%{b}"', expected: '"\\\n\u00e9\u{1F600}${a}%{b}' },
    { name: 'Template', value: '"a-${ f("}") }"', expected: undefined },
    { name: 'DeepTemplate', value: '"${ f({ a = "${"}"}" }) } # no comment"', expected: undefined },
    { name: 'Expression', value: '"a" == "b" ? 1 : 2', expected: undefined },
    { name: 'Brackets', value: '[\n  "a", # ]\n  { b = "}" },\n]', expected: undefined },
    { name: 'Heredoc', value: '<<-EOT\n  } resource "x" "y" {\n  EOT', expected: undefined },
    { name: 'Object', value: '{ "a b" : "c", d = "e" }', expected: new Map([['a b', 'c'], ['d', 'e']]) }, // prettier-ignore
    { name: 'IndexedObject', value: '{ a = "b" }.a', expected: undefined },
    { name: 'ForObject', value: '{ for k in x : k => "}" }', expected: undefined },
    { name: 'Negative', value: '-1', expected: undefined },
  ];
  it.each(values)('reads $name and finds its end', ({ value, expected }) => {
    for (const newline of ['\n', '\r\n']) {
      const text = `\uFEFFa = ${value}\nafter = "yes"\nb "c" {}\n`.replaceAll('\n', newline);
      const scan = scanStructure(text);
      expect(scan.complete).toBe(true);
      expect(scan.attributes.get('a')).toEqual(expected);
      expect(scan.attributes.get('after')).toBe('yes');
      expect(scan.blocks).toHaveLength(1);
    }
  });

  const malformed = [
    { name: 'OpenBlock', text: 'a {', reason: 'the rest is missing' },
    { name: 'ExtraBrace', text: '}\na {}', reason: 'something was lost before it' },
    { name: 'OpenString', text: 'a = "b\nc {}', reason: 'a forgotten quote' },
    { name: 'OpenTemplate', text: 'a = "${b"\n', reason: 'a template without end swallows the text' },
    { name: 'OpenComment', text: 'a {} /* b', reason: 'what follows is unknown' },
    { name: 'OpenHeredoc', text: 'a = <<EOT\nb', reason: 'what follows is unknown' },
    { name: 'UnknownEscape', text: 'a = "\\x"', reason: 'we cannot say what it means' },
    { name: 'Surrogate', text: 'a = "\\ud800"', reason: 'HCL refuses it' },
    { name: 'Template', text: '{{ range .x }}\na {}\n{{ end }}', reason: 'text of a template engine' },
    { name: 'Twice', text: 'a = "b"\na = "c"', reason: 'HCL refuses it, and either could be meant' },
    { name: 'Mismatch', text: 'a = (]\n)', reason: 'brackets that do not match' },
  ];
  it.each(malformed)('says that $name is incomplete: $reason', ({ text }) => {
    expect(scanStructure(text).complete).toBe(false);
  });

  it('goes on after what it does not understand', () => {
    expect(findBlocks(scanStructure('?\na = "x\n!! {{\nresource "b2_bucket" "b" {}\n'), 'resource')).toHaveLength(1);
  });

  it('never throws', () => {
    const token = fc.constantFrom(
      ...[
        '"',
        '\\',
        '${',
        '%{',
        '{',
        '}',
        '[',
        ']',
        '(',
        ')',
        '\n',
        '\r',
        '#',
        '/*',
        '*/',
        '//',
        '<<A\n',
        'A',
        '=',
        ':',
      ],
      ...[',', ' ', 'a', '\\u00', '\ud800', '\u0000'],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), tokens => {
        scanStructure(tokens.join(''));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '"',
    '${',
    '"${',
    'a {',
    '{',
    '[',
    'a = {',
    'a={b={',
    '<<A',
    '<<A\n',
    '/*',
    '\\',
    'a = "',
    '"a" ',
    'a=[{"',
    '#',
  ])('ends, however often %j is repeated', unit => {
    // With a step per pair of characters, or a call per nesting, this would not end before the test's time does.
    scanStructure(`a = ${unit.repeat(200_000 / unit.length)}`);
    scanStructure(unit.repeat(200_000 / unit.length));
    scanStructure(`${unit}\n`.repeat(100_000 / unit.length));
  });
});
