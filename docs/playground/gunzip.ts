/** Stands for node:zlib in browsers: the one function of it that the decision calls, with the same verdicts. */
import { gunzipSync as inflate } from 'fflate';

/** Of a gzip's end: the CRC-32 of what is packed, then its length. */
const TRAILER = 8;

/** @throws where the bytes are no whole gzip, or unpack to more than is allowed */
export function gunzipSync(packed: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }): Uint8Array {
  if (packed.length < TRAILER) throw new RangeError('too short for a gzip');
  const trailer = new DataView(packed.buffer, packed.byteOffset + packed.length - TRAILER);
  const length = trailer.getUint32(4, true);
  if (length > maxOutputLength) throw new RangeError(`unpacks to more than ${maxOutputLength} bytes`);
  // What the length leaves no room for is dropped, and then the sum is wrong.
  const text = inflate(packed, { out: new Uint8Array(length) });
  if (text.length !== length || crc32(text) !== trailer.getUint32(0, true)) throw new RangeError('cut off or changed');
  return text;
}

/** RFC 1952, section 8. */
function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
