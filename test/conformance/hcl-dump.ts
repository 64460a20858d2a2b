/** What tools/hcl-dump, a real reader of HCL, finds in a text; and our own nodes in the same form. */
import { spawnSync } from 'node:child_process';
import type { Body, BodyItem, Expression, ReferenceStep } from '../../src/hcl/ast.ts';
import { findTool } from './tools.ts';

export type Dumped =
  | { readonly items: readonly DumpedItem[]; readonly error?: undefined }
  | { readonly error: string; readonly items?: undefined };

export type DumpedItem =
  | { readonly kind: 'attribute'; readonly name: string; readonly value: unknown }
  | {
      readonly kind: 'block';
      readonly type: string;
      readonly labels: readonly string[];
      readonly items: readonly DumpedItem[];
    };

/** Reads many texts in one run. */
export function dumpTexts(texts: readonly string[]): readonly Dumped[] {
  const { status, stdout, stderr } = spawnSync(findTool('hcl-dump'), {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Dumped[];
}

/** A body as it must be read back: comments gone, numbers as text. */
export function dumpBody(body: Body): readonly DumpedItem[] {
  return body.items.flatMap(dumpItem);
}

function dumpItem(item: BodyItem): DumpedItem[] {
  switch (item.kind) {
    case 'attribute':
      return [{ kind: 'attribute', name: item.name, value: dumpExpression(item.value) }];
    case 'block':
      return [{ kind: 'block', type: item.type, labels: item.labels, items: dumpBody(item.body) }];
    case 'comment':
    case 'commented':
      return [];
  }
}

function dumpExpression(expression: Expression): unknown {
  switch (expression.kind) {
    case 'string':
    case 'bool':
      return { kind: expression.kind, value: expression.value };
    case 'number':
      return { kind: 'number', value: (Object.is(expression.value, -0) ? 0 : expression.value).toFixed(0) };
    case 'null':
      return { kind: 'null' };
    case 'list':
      return { kind: 'list', items: expression.items.map(dumpExpression) };
    case 'object':
      return {
        kind: 'object',
        entries: expression.entries.map(({ key, value }) => ({ key: text(key), value: dumpExpression(value) })),
      };
    case 'reference':
      return { kind: 'reference', root: expression.root, steps: expression.steps.map(dumpStep) };
    case 'for-list': {
      const { iterator, item } = expression;
      return { kind: 'for-list', iterator: dumpIterator(iterator), item: dumpExpression(item) };
    }
    case 'for-object': {
      const { iterator, key, value } = expression;
      return {
        kind: 'for-object',
        iterator: dumpIterator(iterator),
        key: dumpExpression(key),
        value: dumpExpression(value),
      };
    }
    case 'call':
      return { kind: 'call', name: expression.name, args: expression.args.map(dumpExpression) };
  }
}

function text(value: string): unknown {
  return { kind: 'string', value };
}

function dumpStep(step: ReferenceStep): unknown {
  switch (step.kind) {
    case 'attribute':
      return { kind: 'attribute', name: step.name };
    case 'index':
      return {
        kind: 'index',
        key: typeof step.key === 'string' ? text(step.key) : { kind: 'number', value: step.key.toFixed(0) },
      };
    case 'index-by':
      return { kind: 'index', key: dumpExpression(step.key) };
  }
}

function dumpIterator({ key, value, collection }: Extract<Expression, { kind: 'for-list' }>['iterator']): unknown {
  return { key: key ?? '', value, collection: dumpExpression(collection) };
}
