/** The playground's stand-in for node:zlib gives the verdicts of the real one. */
import { gunzipSync as real, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzipSync as standIn } from '../../docs/playground/gunzip.ts';

const MAX = { maxOutputLength: 262_144 };

function outcome(gunzip: (packed: Uint8Array, options: typeof MAX) => Uint8Array, packed: Uint8Array): string {
  try {
    return Buffer.from(gunzip(packed, MAX)).toString('hex');
  } catch {
    return 'refused';
  }
}

describe('gunzipSync of the playground', () => {
  const text = gzipSync('Error: x\n\nwhy\n'.repeat(500));
  const noise = gzipSync(Uint8Array.from({ length: 100_000 }, (_, index) => (index * index * 31) % 251));
  const cases: { name: string; packed: Uint8Array; refused: boolean }[] = [
    { name: 'a text', packed: text, refused: false },
    { name: 'more than one step', packed: noise, refused: false },
    { name: 'nothing', packed: gzipSync(''), refused: false },
    { name: 'as much as is allowed', packed: gzipSync('x'.repeat(262_144)), refused: false },
    { name: 'a byte more', packed: gzipSync('x'.repeat(262_145)), refused: true },
    { name: 'a bomb', packed: gzipSync(Buffer.alloc(50_000_000)), refused: true },
    { name: 'cut off', packed: text.subarray(0, text.length - 20), refused: true },
    {
      name: 'with a wrong sum',
      packed: Uint8Array.from(text, (byte, at) => (at === text.length - 8 ? byte ^ 1 : byte)),
      refused: true,
    },
    {
      name: 'longer than it says',
      packed: Uint8Array.from(text, (byte, at) => (at === text.length - 4 ? 1 : byte)),
      refused: true,
    },
    { name: 'no gzip', packed: Uint8Array.of(1, 2, 3), refused: true },
    { name: 'empty', packed: new Uint8Array(), refused: true },
  ];
  it.each(cases)('$name', ({ packed, refused }) => {
    const said = outcome(standIn, packed);
    expect(said === outcome(real, packed)).toBe(true);
    expect(said === 'refused').toBe(refused);
  });
});
