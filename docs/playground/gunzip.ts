/** Stands for node:zlib in browsers: the one function of it that the decision calls, with the same verdicts. */
import { Gunzip } from 'fflate';

/** At most a thousand times of it comes out at once. */
const STEP = 1024;

/** @throws where the bytes are no whole gzip, or unpack to more than is allowed */
export function gunzipSync(packed: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  const gunzip = new Gunzip((part, final) => {
    length += part.length;
    if (length > maxOutputLength) throw new RangeError(`unpacks to more than ${maxOutputLength} bytes`);
    parts.push(part);
    ended ||= final;
  });
  for (let start = 0; start < packed.length; start += STEP)
    gunzip.push(packed.slice(start, start + STEP), start + STEP >= packed.length);
  if (!ended) throw new RangeError('ends too early');
  const text = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    text.set(part, at);
    at += part.length;
  }
  return text;
}
