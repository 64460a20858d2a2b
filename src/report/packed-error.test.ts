import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpackError } from './packed-error.ts';

function pack(text: string): string {
  const packed = gzipSync(text).toString('base64');
  return `connect failed: OpenTofu encountered an error. Summary: x. To see the full error run: echo "${packed}" | base64 -d | gunzip`;
}

describe('unpackError', () => {
  const cases = [
    { name: 'Packed', message: pack('Error: x\n\nwhy\n'), text: 'Error: x\n\nwhy\n', reason: 'the cause is in it' },
    { name: 'Plain', message: 'cannot get Secret', text: '', reason: 'not every error comes from OpenTofu' },
    { name: 'Cut', message: pack('x').replace('H4sI', 'H4'), text: '', reason: 'a message may be cut off' },
    {
      name: 'Bomb',
      message: pack('x'.repeat(1_000_000)),
      text: '',
      reason: 'a small message must not become a large one',
    },
  ];
  it.each(cases)('$name: $reason', ({ message, text }) => {
    expect(unpackError(message)).toBe(text);
  });
});
