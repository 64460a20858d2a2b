import { describe, expect, it } from 'vitest';
import { connectionDetailsOf, statusOutputsOf } from './outputs.ts';

const OUTPUTS = [
  { name: 'text', sensitive: false, value: 'as it is\n' },
  { name: 'number', sensitive: false, value: 1.5 },
  { name: 'keys', sensitive: true, value: { b: '<&>', a: ['x'] } },
];

describe('outputs', () => {
  it('are all in the connection Secret: texts as they are, the rest as Go prints JSON', () => {
    expect([...connectionDetailsOf(OUTPUTS)]).toEqual([
      ['text', 'as it is\n'],
      ['number', '1.5'],
      ['keys', '{"a":["x"],"b":"\\u003c\\u0026\\u003e"}'],
    ]);
  });

  it('are in the status where they are not secret', () => {
    expect(statusOutputsOf(OUTPUTS)).toEqual({ text: 'as it is\n', number: 1.5 });
  });
});
