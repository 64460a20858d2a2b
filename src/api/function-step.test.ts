import { expect, it } from 'vitest';
import { findFunctionStep } from './function-step.ts';

const composition = (...pipeline: unknown[]): unknown => ({ kind: 'Composition', spec: { pipeline } });
const step = (name: unknown, input?: unknown): unknown => ({ functionRef: { name }, input });

it.each(['kueber-function-tofu-workspace', 'acme-function-tofu-workspace', 'function-tofu-workspace'])(
  'is found by the name %s',
  name => {
    expect(findFunctionStep([composition(step('function-auto-ready'), step(name, 7))])).toEqual({ input: 7 });
  },
);

it.each([
  ['no document', []],
  ['another function', [composition(step('function-tofu-workspace-extras'), step('myfunction-tofu-workspace'))]],
  ['a step that is no object', [composition(null, 'function-tofu-workspace')]],
  ['a name that is no text', [composition(step(['function-tofu-workspace', 1]))]],
  ['no list of steps', [{ kind: 'Composition', spec: { pipeline: { 0: step('function-tofu-workspace') } } }]],
  ['another kind', [{ kind: 'CompositionRevision', spec: { pipeline: [step('function-tofu-workspace')] } }]],
])('is not found in %s', (_, documents) => {
  expect(findFunctionStep(documents)).toBeUndefined();
});

it('may have no input', () => {
  expect(findFunctionStep([composition(step('function-tofu-workspace'))])).toEqual({ input: undefined });
});
