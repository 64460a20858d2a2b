/**
 * What tflint's rules for the language itself would say of every root and module: typed and documented, named alike,
 * nothing declared that nobody uses, providers and versions named. tflint is no package of PyPI or npm, and to build it from source
 * costs more than all other checks of this folder together; rules that need its plugins for clouds are not covered.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseHclFile, type HclBlock } from '../../../src/infra/hcl-file.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

interface Root {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly HclBlock[];
}

function findRoots(folder: string): readonly Root[] {
  const files = readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.tf') && !file.includes('.terraform'))
    .map(file => join(REPOSITORY, folder, file));
  return [...new Set(files.map(dirname))].sort().map(path => {
    const own = files.filter(file => dirname(file) === path);
    const sources = own.map(file => ({ file: relative(REPOSITORY, file), text: readFileSync(file, 'utf8') }));
    return {
      name: relative(REPOSITORY, path),
      text: sources.map(({ text }) => text).join('\n'),
      blocks: sources.flatMap(parseHclFile),
    };
  });
}

const ROOTS = [...findRoots('infra/tofu'), ...findRoots('infra/bootstrap/tofu')];

const ofType = (root: Root, ...types: readonly string[]): readonly HclBlock[] =>
  root.blocks.filter(({ type }) => types.includes(type));
const nameOf = (block: HclBlock): string => block.labels.at(-1) ?? '';

/** Faults of one root, as `name: what`. */
function lint(root: Root): readonly string[] {
  return [...lintDeclarations(root), ...lintUse(root), ...lintProviders(root)];
}

function lintDeclarations(root: Root): readonly string[] {
  const named = ofType(root, 'variable', 'output', 'resource', 'data', 'ephemeral', 'module');
  return [
    ...named.filter(block => !/^[a-z][a-z0-9_]*$/.test(nameOf(block))).map(block => `${nameOf(block)}: no snake_case`),
    ...ofType(root, 'variable')
      .filter(block => !block.attributes.has('type'))
      .map(block => `${nameOf(block)}: no type`),
    ...ofType(root, 'variable', 'output')
      .filter(block => !block.attributes.has('description'))
      .map(block => `${nameOf(block)}: no description`),
    ...(/^\s*(\/\/|\/\*)/m.test(root.text) ? ['a comment that begins with a slash'] : []),
    ...[...root.text.matchAll(/= "\$\{([^{}"]+)\}"$/gm)].map(
      ([, text = '']) => `${text}: an interpolation of nothing else`,
    ),
  ];
}

function lintUse(root: Root): readonly string[] {
  const uses = (reference: string): boolean => new RegExp(`\\b${reference.replaceAll('.', '\\.')}\\b`).test(root.text);
  const locals = ofType(root, 'locals').flatMap(({ attributes }) => [...attributes.keys()]);
  return [
    ...ofType(root, 'variable')
      .map(nameOf)
      .filter(name => !uses(`var.${name}`))
      .map(name => `var.${name}: unused`),
    ...locals.filter(name => !uses(`local.${name}`)).map(name => `local.${name}: unused`),
    ...ofType(root, 'data')
      .map(({ labels }) => `data.${labels.join('.')}`)
      .filter(name => !uses(name))
      .map(name => `${name}: unused`),
  ];
}

/** A provider's local name is what the type of a resource begins with. */
function lintProviders(root: Root): readonly string[] {
  const settings = ofType(root, 'terraform');
  const required = settings.flatMap(({ blocks }) => blocks).filter(({ type }) => type === 'required_providers');
  const declared = new Set(required.flatMap(({ attributes }) => [...attributes.keys()]));
  const used = new Set(
    ofType(root, 'resource', 'data', 'ephemeral')
      .map(({ labels }) => (labels[0] ?? '').split('_')[0] ?? '')
      .filter(name => name !== 'terraform'),
  );
  return [
    ...(settings.some(({ attributes }) => attributes.has('required_version')) ? [] : ['no required_version']),
    ...[...used].filter(name => !declared.has(name)).map(name => `${name}: a provider that versions.tf does not name`),
    ...[...declared].filter(name => !used.has(name)).map(name => `${name}: a provider that nothing uses`),
  ];
}

it('knows every root and module', () => {
  expect(ROOTS.map(({ name }) => basename(name)).sort()).toEqual(
    [
      ...['demo', 'edge', 'home', 'johnny-projects', 'netbird', 'production', 'tofu'],
      ...['dns_record', 'network', 'kubernetes-os', 'virtual-machines'],
    ].sort(),
  );
});

it.each(ROOTS)('$name is legible', root => {
  expect(lint(root)).toEqual([]);
});

describe('a fault is found', () => {
  const faults: readonly (readonly [string, string])[] = [
    ['variable "a" {\n  description = "x"\n}\noutput "b" {\n  description = "x"\n  value = var.a\n}\n', 'a: no type'],
    ['variable "a" {\n  type = string\n}\nlocals {\n  b = "${var.a}-${local.b}"\n}\n', 'a: no description'],
    ['output "b" {\n  value = 1\n}\n', 'b: no description'],
    ['variable "a" {\n  type = string\n  description = "x"\n}\n', 'var.a: unused'],
    ['locals {\n  unused_one = 1\n}\n', 'local.unused_one: unused'],
    ['data "b2_bucket" "x" {\n}\n', 'data.b2_bucket.x: unused'],
    ['resource "b2_bucket" "camelCase" {\n}\n', 'camelCase: no snake_case'],
    ['resource "b2_bucket" "x" {\n  name = "${var.a}"\n}\n', 'var.a: an interpolation of nothing else'],
    ['// a comment\n', 'a comment that begins with a slash'],
    ['resource "b2_bucket" "x" {\n}\n', 'b2: a provider that versions.tf does not name'],
    ['terraform {\n  required_providers {\n    b2 = {}\n  }\n}\n', 'b2: a provider that nothing uses'],
    ['', 'no required_version'],
  ];
  it.each(faults)('%j', (text, fault) => {
    expect(lint({ name: 'planted', text, blocks: parseHclFile({ file: 'planted.tf', text }) })).toContain(fault);
  });
});
